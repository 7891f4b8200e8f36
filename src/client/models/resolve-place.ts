import { ClientError } from '../client-error.ts'
import { safeUrl } from '../oauth/safe-url.ts'
import type { CredentialOptions, PlaceOptions, Variables } from './model-client-options.ts'

/** What is called. */
export interface Place {
  readonly platform: 'gemini' | 'vertex'
  readonly baseUrl: URL
  /** Whether nobody named another server. */
  readonly isDefaultUrl: boolean
  readonly apiVersion: string
  readonly project?: string
  readonly location?: string
}

export interface PlaceQuestion {
  readonly options: PlaceOptions & Pick<CredentialOptions, 'oauth'>
  readonly env: Variables
  readonly platform: Place['platform']
  /** Whether the credential is an API key. */
  readonly isKey: boolean
}

export function resolvePlace({ options, env, platform, isKey }: PlaceQuestion): Place {
  // An API key belongs to a project already: only one that stands beside it in the program counts.
  const around = isKey ? {} : env
  const project = given(options.project) ?? value(around, 'GOOGLE_CLOUD_PROJECT')
  const location = given(options.location) ?? value(around, 'GOOGLE_CLOUD_LOCATION') ?? 'global'
  const named = namedUrl(options, env, platform)
  if (platform === 'vertex' && project === undefined && named === undefined && !isKey)
    throw new ClientError(
      'no_project',
      'the enterprise platform needs a project: give `project`, or set GOOGLE_CLOUD_PROJECT',
    )
  return {
    platform,
    baseUrl: checkedUrl(named ?? defaultUrl(platform, location), options.allowHttp === true),
    isDefaultUrl: named === undefined,
    apiVersion: options.apiVersion ?? (platform === 'vertex' ? 'v1beta1' : 'v1beta'),
    ...(platform === 'vertex' && project !== undefined ? { project, location } : {}),
  }
}

export function platformOf({ vertexai }: PlaceOptions, env: Variables): Place['platform'] {
  const word = value(env, 'GOOGLE_GENAI_USE_ENTERPRISE') ?? value(env, 'GOOGLE_GENAI_USE_VERTEXAI')
  return (vertexai ?? /^(?:true|1)$/i.test(word ?? '')) ? 'vertex' : 'gemini'
}

export function placeInCode({ project, location }: PlaceOptions): boolean {
  return given(project) !== undefined || given(location) !== undefined
}

export function placeInVariables(env: Variables): boolean {
  return value(env, 'GOOGLE_CLOUD_PROJECT') !== undefined || value(env, 'GOOGLE_CLOUD_LOCATION') !== undefined
}

/** A variable that is set to nothing is not set. */
export function value(env: Variables, name: string): string | undefined {
  return given(env[name])
}

function given(text: string | undefined): string | undefined {
  const trimmed = text?.trim()
  return trimmed === '' ? undefined : trimmed
}

function namedUrl(
  { baseUrl, oauth }: PlaceQuestion['options'],
  env: Variables,
  platform: Place['platform'],
): string | URL | undefined {
  if (baseUrl !== undefined) return baseUrl
  // Its resource is the API, whose version stands at the end.
  if (oauth !== undefined) return oauth.resource.replace(/\/v\d\w*\/?$/, '')
  return value(env, platform === 'vertex' ? 'GOOGLE_VERTEX_BASE_URL' : 'GOOGLE_GEMINI_BASE_URL')
}

/** As the official clients choose it. */
function defaultUrl(platform: Place['platform'], location: string): string {
  if (platform === 'gemini') return 'https://generativelanguage.googleapis.com'
  if (location === 'global') return 'https://aiplatform.googleapis.com'
  const region = encodeURIComponent(location)
  return ['us', 'eu'].includes(location)
    ? `https://aiplatform.${region}.rep.googleapis.com`
    : `https://${region}-aiplatform.googleapis.com`
}

function checkedUrl(named: string | URL, allowHttp: boolean): URL {
  const url = URL.parse(named)
  if (url?.search !== undefined && url.search !== '')
    throw new ClientError('invalid_option', 'baseUrl must have no parameters')
  if (allowHttp && url?.protocol === 'http:' && url.username === '' && url.password === '') return url
  return safeUrl(named, { what: 'baseUrl', mayBeLocal: true })
}
