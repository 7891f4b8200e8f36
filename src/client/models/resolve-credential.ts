import { ClientError } from '../client-error.ts'
import type { CredentialOptions, PlaceOptions, Variables } from './model-client-options.ts'
import {
  type Place,
  placeInCode,
  placeInVariables,
  platformOf,
  resolvePlace,
  value,
} from './resolve-place.ts'

/** Who calls, and where that was found. */
export type Credential =
  | { readonly kind: 'api-key'; readonly from: string; readonly apiKey: string }
  | {
      readonly kind: 'access-token'
      readonly from: 'accessToken'
      readonly accessToken: NonNullable<CredentialOptions['accessToken']>
    }
  | {
      readonly kind: 'oauth'
      readonly from: 'oauth'
      readonly oauth: NonNullable<CredentialOptions['oauth']>
    }
  | {
      readonly kind: 'default-credentials'
      /** `search` when nothing else was given. */
      readonly from: 'adc' | 'project' | 'GOOGLE_CLOUD_PROJECT' | 'search'
    }

export interface Resolution {
  readonly credential: Credential
  readonly place: Place
  /** Variables that hold an API key that is not used. */
  readonly ignored: readonly string[]
}

export type ResolveOptions = CredentialOptions & PlaceOptions

/** Decides who calls what, from the options and the environment alone: the first of `sources` that has an answer. */
export function resolveCredential(options: ResolveOptions, env: Variables): Resolution {
  refuseSeveral(options)
  const platform = platformOf(options, env)
  if (platform === 'gemini' && placeInCode(options))
    throw new ClientError(
      'invalid_option',
      'project and location are for the enterprise platform: set `vertexai: true` too, or leave them out',
    )
  const question = { options, env, platform }
  const credential = firstOf(question)
  if (credential === undefined) throw noCredential(options)
  const isKey = credential.kind === 'api-key'
  const place = resolvePlace({ options, env, platform, isKey })
  const ignored = keyVariablesOf(options).filter((name) => hasValue(env, name) && name !== credential.from)
  return { credential, place, ignored }
}

export function keyVariablesOf({
  keyVariables = ['GOOGLE_API_KEY', 'GEMINI_API_KEY'],
}: CredentialOptions): readonly string[] {
  return keyVariables
}

interface Question {
  readonly options: ResolveOptions
  readonly env: Variables
  readonly platform: Place['platform']
}

type Source = (question: Question) => Credential | undefined

/** What stands in the program goes before the environment, and on the enterprise platform a project before a key. */
const sources: readonly Source[] = [
  ({ options: { apiKey } }) =>
    apiKey === undefined ? undefined : { kind: 'api-key', from: 'apiKey', apiKey: usableKey(apiKey) },
  ({ options: { accessToken } }) =>
    accessToken === undefined ? undefined : { kind: 'access-token', from: 'accessToken', accessToken },
  ({ options: { oauth } }) => (oauth === undefined ? undefined : { kind: 'oauth', from: 'oauth', oauth }),
  ({ options: { adc } }) => (adc === true ? { kind: 'default-credentials', from: 'adc' } : undefined),
  ({ options, platform }) =>
    platform === 'vertex' && options.adc !== false && placeInCode(options)
      ? { kind: 'default-credentials', from: 'project' }
      : undefined,
  ({ options, env, platform }) =>
    platform === 'vertex' && options.adc !== false && placeInVariables(env)
      ? { kind: 'default-credentials', from: 'GOOGLE_CLOUD_PROJECT' }
      : undefined,
  ({ options, env }) => {
    const from = keyVariablesOf(options).find((name) => hasValue(env, name))
    const apiKey = from === undefined ? undefined : value(env, from)
    return from === undefined || apiKey === undefined
      ? undefined
      : { kind: 'api-key', from, apiKey: usableKey(apiKey) }
  },
  ({ options }) => (options.adc === false ? undefined : { kind: 'default-credentials', from: 'search' }),
]

function firstOf(question: Question): Credential | undefined {
  for (const source of sources) {
    const credential = source(question)
    if (credential !== undefined) return credential
  }
  return undefined
}

function refuseSeveral({ apiKey, accessToken, oauth, adc }: ResolveOptions): void {
  const given = Object.entries({ apiKey, accessToken, oauth, adc: adc === true ? adc : undefined })
    .filter(([, option]) => option !== undefined)
    .map(([name]) => `\`${name}\``)
  if (given.length > 1)
    throw new ClientError('several_credentials', `give one credential, not ${given.join(' and ')}`)
}

/** Checked here because the platform's own error would quote it. */
function usableKey(apiKey: string): string {
  const key = apiKey.trim()
  if (/^[\x21-\x7e]+$/.test(key)) return key
  throw new ClientError(
    'invalid_option',
    key === '' ? 'the API key is empty' : 'the API key has characters that no key has: was all of it copied?',
  )
}

function noCredential(options: ResolveOptions): ClientError {
  return new ClientError(
    'no_credential',
    `there is no credential: give \`apiKey\`, \`accessToken\` or \`oauth\`, set ${keyVariablesOf(options).join(' or ')}, or allow Application Default Credentials`,
  )
}

function hasValue(env: Variables, name: string): boolean {
  return value(env, name) !== undefined
}
