import { ClientError } from '../client-error.ts'
import { cursorPages } from '../cursor-pages.ts'
import type { HttpOptions } from '../json-request.ts'
import { offsetPages } from '../offset-pages.ts'
import { type Walk, type WalkOptions, walk } from '../walk.ts'
import type { Reader } from '../wire-reader.ts'
import {
  type ApiKey,
  type ApiKeyChanges,
  type ApiKeyOrder,
  apiKey,
  type NewApiKey,
  newApiKey,
} from './api-key.ts'
import { type ApiCall, type ApiOptions, type ApiTransport, apiTransport } from './api-transport.ts'
import { type AuditEvent, auditEvent, type EventFilters, eventQuery } from './audit-event.ts'
import { type Follow, type FollowOptions, followEvents } from './follow-events.ts'
import {
  type NewServiceAccount,
  newServiceAccount,
  type ServiceAccount,
  type ServiceAccountChanges,
  type ServiceAccountOrder,
  type ServiceAccountWithKeys,
  serviceAccount,
  serviceAccountWithKeys,
} from './service-account.ts'
import { type Session, type SessionFilters, session } from './session.ts'
import { type UsageQuestion, type UsageRow, usageQuery, usageRow } from './usage.ts'

/** How a list is walked, and how many records a page has. */
export interface ListOptions extends WalkOptions {
  readonly limit?: number
}

export interface Rotation {
  /** How long what was there before goes on working; with 0 it is revoked. Default 3600. */
  readonly overlap_seconds?: number
}

/** `/api/v1` of a gateway: who uses it, what it decided, and who may. */
export interface ApiClient {
  readonly sessions: (options?: SessionListOptions) => Walk<Session>
  readonly session: (id: string) => Promise<Session>
  readonly revokeSession: (id: string) => Promise<void>
  readonly events: (options?: EventListOptions) => Walk<AuditEvent>
  readonly followEvents: (options?: FollowOptions) => Follow
  readonly keys: (options?: ListOptions) => Walk<ApiKey>
  readonly key: (id: string) => Promise<ApiKey>
  readonly createKey: (order: ApiKeyOrder) => Promise<NewApiKey>
  readonly updateKey: (id: string, changes: ApiKeyChanges) => Promise<ApiKey>
  readonly rotateKey: (id: string, rotation?: Rotation) => Promise<NewApiKey>
  readonly revokeKey: (id: string) => Promise<void>
  readonly serviceAccounts: (options?: ListOptions) => Walk<ServiceAccount>
  readonly serviceAccount: (id: string) => Promise<ServiceAccountWithKeys>
  readonly createServiceAccount: (order: ServiceAccountOrder) => Promise<NewServiceAccount>
  readonly updateServiceAccount: (id: string, changes: ServiceAccountChanges) => Promise<ServiceAccount>
  readonly rotateServiceAccount: (id: string, rotation?: Rotation) => Promise<NewServiceAccount>
  readonly disableServiceAccount: (id: string) => Promise<void>
  readonly revokeServiceAccountKey: (id: string, kid: string) => Promise<void>
  readonly usage: (options?: UsageListOptions) => Walk<UsageRow>
}

export interface SessionListOptions extends ListOptions, SessionFilters {}

export interface EventListOptions extends ListOptions, EventFilters {
  /** Default `newest`. */
  readonly order?: 'newest' | 'oldest'
}

export interface UsageListOptions extends ListOptions, UsageQuestion {}

/** `baseUrl` is that of the gateway; `fetch`, of `createOAuth` for `<gateway>/api`, or `headers` bring the token. */
export function apiClient(baseUrl: string | URL, options: ApiOptions = {}): ApiClient {
  const transport = apiTransport(baseUrl, options)
  return { ...records(transport), ...keyCalls(transport), ...accountCalls(transport) }
}

type Records = Pick<ApiClient, 'sessions' | 'session' | 'revokeSession' | 'events' | 'followEvents' | 'usage'>

function records(transport: ApiTransport): Records {
  const { one, none } = answers(transport)
  return {
    sessions: (options = {}) => {
      const { principal, issuer } = options
      const url = transport.url('/sessions', { principal, issuer })
      return walk(offsetPages(url, listed(transport, session, options)), options)
    },
    session: async (id) => one(session, { method: 'GET', path: `/sessions/${segment(id)}` }),
    revokeSession: async (id) => none({ method: 'DELETE', path: `/sessions/${segment(id)}` }),
    events: (options = {}) => {
      const url = transport.url('/events', { ...eventQuery(options), order: options.order })
      return walk(cursorPages(url, listed(transport, auditEvent, options)), options)
    },
    followEvents: (options = {}) => followEvents(transport, options),
    usage: (options = {}) => {
      const url = transport.url('/usage', usageQuery(options))
      return walk(cursorPages(url, listed(transport, usageRow, options)), options)
    },
  }
}

type KeyCalls = Pick<ApiClient, 'keys' | 'key' | 'createKey' | 'updateKey' | 'rotateKey' | 'revokeKey'>

function keyCalls(transport: ApiTransport): KeyCalls {
  const { one, none } = answers(transport)
  const path = (id: string): string => `/keys/${segment(id)}`
  return {
    keys: (options = {}) =>
      walk(cursorPages(transport.url('/keys'), listed(transport, apiKey, options)), options),
    key: async (id) => one(apiKey, { method: 'GET', path: path(id) }),
    createKey: (body) => one(newApiKey, { method: 'POST', path: '/keys', body }),
    updateKey: async (id, body) => one(apiKey, { method: 'PATCH', path: path(id), body }),
    rotateKey: async (id, body = {}) => one(newApiKey, { method: 'POST', path: `${path(id)}:rotate`, body }),
    revokeKey: async (id) => none({ method: 'DELETE', path: path(id) }),
  }
}

type AccountCalls = Omit<ApiClient, keyof Records | keyof KeyCalls>

function accountCalls(transport: ApiTransport): AccountCalls {
  const { one, none } = answers(transport)
  const all = '/service-accounts'
  const path = (id: string): string => `${all}/${segment(id)}`
  return {
    serviceAccounts: (options = {}) =>
      walk(cursorPages(transport.url(all), listed(transport, serviceAccount, options)), options),
    serviceAccount: async (id) => one(serviceAccountWithKeys, { method: 'GET', path: path(id) }),
    createServiceAccount: (body) => one(newServiceAccount, { method: 'POST', path: all, body }),
    updateServiceAccount: async (id, body) => one(serviceAccount, { method: 'PATCH', path: path(id), body }),
    rotateServiceAccount: async (id, body = {}) =>
      one(newServiceAccount, { method: 'POST', path: `${path(id)}:rotate`, body }),
    disableServiceAccount: async (id) => none({ method: 'DELETE', path: path(id) }),
    revokeServiceAccountKey: async (id, kid) =>
      none({ method: 'DELETE', path: `${path(id)}/keys/${segment(kid)}` }),
  }
}

/** One word of a path: dots would lead to what stands above it, and so would nothing. */
function segment(id: string): string {
  if (!['', '.', '..'].includes(id)) return encodeURIComponent(id)
  throw new ClientError('invalid_option', `an id is expected, and not "${id}"`)
}

interface Answers {
  readonly one: <T>(read: Reader<T>, call: ApiCall) => Promise<T>
  readonly none: (call: ApiCall) => Promise<void>
}

function answers({ json }: ApiTransport): Answers {
  return {
    one: async (read, call) => read(await json(call), ''),
    none: async (call) => {
      await json(call)
    },
  }
}

interface Listed<T> extends HttpOptions {
  readonly limit?: number
  readonly parse: (item: unknown) => T
}

function listed<T>({ options }: ApiTransport, read: Reader<T>, { limit }: ListOptions): Listed<T> {
  return { ...options, ...(limit === undefined ? {} : { limit }), parse: (item) => read(item, '') }
}
