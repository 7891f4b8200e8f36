import { sign } from 'node:crypto'
import type { Caller } from '../../src/auth/caller.ts'
import {
  type CallerAuthenticator,
  type CallerOptions,
  type CallerRequest,
  createCallerAuthenticator,
} from '../../src/auth/caller-authenticator.ts'
import { openIssuers } from '../../src/auth/issuers.ts'
import type { Config } from '../../src/config/config-schema.ts'
import { createLog } from '../../src/log/log.ts'
import { type ApiKeys, createApiKeys } from '../../src/store/api-keys.ts'
import { migrations } from '../../src/store/migrations.ts'
import type { CredentialsFile, CredentialsPlace } from '../../src/store/service-account-file.ts'
import { createServiceAccounts, type ServiceAccounts } from '../../src/store/service-accounts.ts'
import type { Store, StoreSchema } from '../../src/store/store.ts'
import { sqlite } from '../store/engines.ts'
import { callWith } from './call.ts'
import { base64url } from './local-key.ts'

export const publicUrl = 'https://gate.example'
export const modelResource: string = `${publicUrl}/v1beta`
export const generateUrl: string = `${modelResource}/models/tiny:generateContent`
export const scopeBase = 'https://www.googleapis.com/auth'
export const cloudPlatform: string = `${scopeBase}/cloud-platform`
export const place: CredentialsPlace = { universeDomain: 'gate.example', tokenUri: `${publicUrl}/token` }

/** A gateway's callers on a store of their own, with a clock that stands still. */
export interface CallerSetting extends AsyncDisposable {
  readonly store: Store
  readonly apiKeys: ApiKeys
  readonly accounts: ServiceAccounts
  readonly authenticator: CallerAuthenticator
  /** Milliseconds since 1970. */
  readonly clock: { now: number }
  /** What was logged, a line each. */
  readonly lines: string[]
}

export interface CallerSettings extends Partial<Omit<CallerOptions, 'issuers'>> {
  readonly issuers?: Config['issuers']
}

export async function openCallers(
  { issuers = [], ...options }: CallerSettings = {},
  clock: { now: number } = { now: Date.now() },
): Promise<CallerSetting> {
  const store = await sqlite.open<StoreSchema>(migrations)
  const lines: string[] = []
  const log = createLog({ level: 'info', destination: { write: (line) => lines.push(line) } })
  const micros = (): number => clock.now * 1000
  const opened = openIssuers({ issuers, log, now: () => clock.now })
  const authenticator = createCallerAuthenticator({
    resource: modelResource,
    publicUrl,
    vendor: 'goog',
    scopeBase,
    keyInQuery: true,
    issuers: opened,
    isRevoked: () => false,
    store,
    log,
    now: () => clock.now,
    ...options,
  })
  return {
    store,
    apiKeys: createApiKeys(store, micros),
    accounts: createServiceAccounts(store, micros),
    authenticator,
    clock,
    lines,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([authenticator.close(), opened.close()])
      await store[Symbol.asyncDispose]()
    },
  }
}

/** A request as it would reach the model API. */
export function request(
  headers: readonly (readonly [name: string, value: string])[],
  changes: Partial<CallerRequest> = {},
): CallerRequest {
  return {
    ...callWith(['Host', 'gate.example'], ...headers),
    url: generateUrl,
    from: () => ({ address: '127.0.0.1', addressDoubt: undefined }),
    ...changes,
  }
}

export function withKey(key: string, changes: Partial<CallerRequest> = {}): CallerRequest {
  return request([['x-goog-api-key', key]], changes)
}

export function withToken(token: string, changes: Partial<CallerRequest> = {}): CallerRequest {
  return request([['Authorization', `Bearer ${token}`]], changes)
}

/** Who it is, or why nobody, thrown or rejected. */
export async function verdict(
  { authenticator }: Pick<CallerSetting, 'authenticator'>,
  call: CallerRequest,
): Promise<Caller | Error> {
  try {
    return await authenticator.authenticate(call)
  } catch (error) {
    return error instanceof Error ? error : new Error('not an error', { cause: error })
  }
}

/** RS256 with the key of a credentials file, over any header and any claims. */
export function signWith(
  file: Pick<CredentialsFile, 'private_key'>,
  header: object | string,
  claims: object | string,
): string {
  const input = `${base64url(header)}.${base64url(claims)}`
  return `${input}.${sign('sha256', Buffer.from(input), file.private_key).toString('base64url')}`
}
