import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import { mountAdminApi } from '../../src/admin/admin-api.ts'
import type { AuditCaller, AuditRecord } from '../../src/audit/audit-line.ts'
import { createLedger, type Ledger } from '../../src/audit/ledger.ts'
import type { Admission } from '../../src/auth/admission.ts'
import { createAuthenticator } from '../../src/auth/authenticator.ts'
import type { Decision } from '../../src/auth/decision.ts'
import { openIssuers } from '../../src/auth/issuers.ts'
import { openRevocations } from '../../src/auth/revocations.ts'
import { createTokenCodec } from '../../src/paging/token-codec.ts'
import { type Clock, microsecondClock } from '../../src/store/clock.ts'
import { migrations } from '../../src/store/migrations.ts'
import { rowId } from '../../src/store/row-id.ts'
import type { Store, StoreSchema } from '../../src/store/store.ts'
import { type Claims, startLocalIssuer } from '../auth/local-issuer.ts'
import { freePort } from '../free-port.ts'
import { plainServer } from '../serving/plain-server.ts'
import type { Engine } from '../store/engines.ts'
import { type AnswerCheck, createAnswerCheck } from './answer-check.ts'
import { noteSecretsIn } from './secret-search-notes.ts'

export interface AdminServerOptions {
  readonly engine: Engine
  readonly isListening?: boolean
  /** What an answer waits for; may throw. */
  readonly recorded?: () => Promise<void> | undefined
  readonly admission?: Admission
  /** Milliseconds since 1970, for cursors. */
  readonly cursorTime?: () => number
  readonly now?: Clock
  /** As `now` unless told. */
  readonly wall?: Clock
}

export interface Call {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Null sends no token. */
  readonly token?: string | null
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** The administration API alone on the shared HTTP set-up, with real tokens, on a real store. */
export interface AdminServer extends AsyncDisposable {
  readonly server: FastifyInstance
  readonly publicUrl: string
  readonly store: Store
  readonly ledger: Ledger
  readonly issuer: string
  readonly decisions: Decision[]
  readonly lines: Readonly<Record<string, unknown>>[]
  /** A token that holds these scopes. */
  readonly token: (scope: string, subject?: string) => string
  /** A token with these claims. */
  readonly tokenWith: (claims: Claims) => string
  /** Calls below `/api/v1`, as an administrator unless told; every answer is compared to its schema. */
  readonly call: (path: string, call?: Call) => Promise<LightMyRequestResponse>
  /** Records events as the gateway would. */
  readonly record: (events: readonly Partial<AuditRecord>[]) => Promise<void>
}

export const everything =
  'sessions:read sessions:write events:read keys:read keys:write service-accounts:read service-accounts:write usage:read'

export async function startAdminServer(options: AdminServerOptions): Promise<AdminServer> {
  const port = options.isListening === true ? await freePort() : 8080
  const publicUrl = `http://127.0.0.1:${port}`
  const resource = `${publicUrl}/api`
  const store = await options.engine.open<StoreSchema>(migrations)
  const local = await startLocalIssuer({ audience: resource })
  const { server, log, lines } = plainServer({ publicUrl, bodyLimitBytes: 2 ** 20 })
  const issuers = openIssuers({ issuers: [local.jwt()], log })
  const revocations = openRevocations({ store, log })
  const decisions: Decision[] = []
  const { now = microsecondClock(), wall = now } = options
  mountAdminApi(server, {
    resource,
    publicUrl,
    authenticator: createAuthenticator({ resource, issuers, isRevoked: revocations.isRevoked }),
    authorizationServers: [local.issuer],
    store,
    tokens: createTokenCodec({
      secrets: ['a secret of the tests, 32 characters'],
      now: options.cursorTime ?? Date.now,
    }),
    admission: options.admission,
    onDecision: (decision) => {
      decisions.push(decision)
      return options.recorded?.()
    },
    log,
    now,
    wall,
  })
  if (options.isListening === true) await server.listen({ host: '127.0.0.1', port })
  const ledger = createLedger(store, now)
  const token = (scope: string, sub = 'root'): string => local.token({ scope, sub })
  const admin = token(everything)
  const check = checkOf(server)
  let position = 0
  return {
    server,
    publicUrl,
    store,
    ledger,
    issuer: local.issuer,
    decisions,
    lines,
    token,
    tokenWith: local.token,
    call: async (path, call = {}) => {
      const { method = 'GET', body, headers = {} } = call
      const held = call.token === undefined ? admin : call.token
      const response = await server.inject({
        method,
        url: `/api/v1${path}`,
        headers: {
          host: `127.0.0.1:${port}`,
          ...(held !== null && { authorization: `Bearer ${held}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      await check(method, path, response)
      if (method === 'POST') noteSecretsIn(response.json())
      return response
    },
    record: async (events) => {
      const batch = events.map((event) => JSON.stringify(eventOf(event, local.issuer, now())))
      await ledger.append({ spool: 'test', from: position, position: position + batch.length, lines: batch })
      position += batch.length
    },
    [Symbol.asyncDispose]: async () => {
      await server.close()
      await revocations.close()
      await issuers.close()
      await local.stop()
      await store[Symbol.asyncDispose]()
    },
  }
}

/** By whom an event is, with a credential of that name. */
export function by(principal: string, issuer: string, credential: string): AuditCaller {
  return {
    principal,
    issuer,
    client: 'https://app.example/client.json',
    credential: { kind: 'jwt', id: credential },
    expires: 4_102_444_800,
    held: ['notes:read'],
  }
}

function eventOf(given: Partial<AuditRecord>, issuer: string, now: number): AuditRecord {
  return {
    id: rowId(now, crypto.getRandomValues(new Uint8Array(8))),
    time: now,
    surface: 'tools',
    action: 'tools/call',
    target: 'echo',
    decision: 'allow',
    reason: 'ok',
    status: 200,
    durationUs: 120,
    needed: ['notes:read'],
    requestId: 'request-1',
    revision: '2026-07-28',
    by: by('alice', issuer, 'alice-1'),
    ...given,
  }
}

function checkOf(server: FastifyInstance): AnswerCheck {
  let made: Promise<AnswerCheck> | undefined
  return async (method, path, response) => {
    made ??= server
      .inject({ url: '/api/v1/openapi.json', headers: { host: '127.0.0.1' } })
      .then((answer) => createAnswerCheck(answer.json()))
    await (await made)(method, path, response)
  }
}
