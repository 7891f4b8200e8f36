import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import type { Admission } from '../../src/auth/admission.ts'
import { createCallerAuthenticator } from '../../src/auth/caller-authenticator.ts'
import type { Decision } from '../../src/auth/decision.ts'
import { openIssuers } from '../../src/auth/issuers.ts'
import type { Engine } from '../../src/engines/engine.ts'
import { type BodyBudget, createBodyBudget } from '../../src/http/body-budget.ts'
import { mountModelApi } from '../../src/model-api/model-api.ts'
import { createModelTable } from '../../src/model-api/model-table.ts'
import { createStoredThings, type StoredThings } from '../../src/model-api/stored-things.ts'
import { createTokenCodec } from '../../src/paging/token-codec.ts'
import { createApiKeys } from '../../src/store/api-keys.ts'
import { type Clock, microsecondClock } from '../../src/store/clock.ts'
import type { FileLimits } from '../../src/store/files-limits.ts'
import type { Store } from '../../src/store/store.ts'
import { freePort } from '../free-port.ts'
import { noteSecret } from '../records/secret-search-notes.ts'
import { plainServer } from '../serving/plain-server.ts'
import { createWordEngine } from './word-engine.ts'

export interface ModelServerOptions {
  /** With all migrations applied; the server does not close it. */
  readonly store: Store
  /** By the names of their models; `words` with an engine of that kind unless told. */
  readonly engines?: Readonly<Record<string, Engine>>
  readonly aliases?: Readonly<Record<string, string>>
  /** Of every model. */
  readonly fallbacks?: readonly Engine[]
  /** That of another server, for a second instance of it. */
  readonly publicUrl?: string
  readonly trustedProxies?: readonly string[]
  /** Open a port for real clients. */
  readonly isListening?: boolean
  /** Of what is stored. */
  readonly now?: Clock
  readonly fileLimits?: FileLimits
  /** What an answer waits for; may throw. */
  readonly recorded?: (() => Promise<void> | undefined) | undefined
  readonly admission?: Admission | undefined
  /** How many bytes of bodies are held at once. */
  readonly bodyBudgetBytes?: number
}

export interface ModelServer extends AsyncDisposable {
  readonly server: FastifyInstance
  readonly publicUrl: string
  readonly stored: StoredThings
  readonly decisions: Decision[]
  /** What was logged. */
  readonly lines: readonly Readonly<Record<string, unknown>>[]
  readonly bodies: BodyBudget
  /** A new API key that acts for this principal. */
  readonly keyFor: (principal: string) => Promise<string>
  /** `inject` with an API key. */
  readonly call: (key: string, options: InjectOptions) => Promise<LightMyRequestResponse>
}

/** The model API alone on the shared HTTP set-up, with real keys in a real store. */
export async function startModelServer(options: ModelServerOptions): Promise<ModelServer> {
  const { store, engines = { words: createWordEngine() }, aliases = {}, fallbacks = [] } = options
  const port = options.isListening === true ? await freePort() : 8080
  const { publicUrl = `http://127.0.0.1:${port}` } = options
  const { server, log, lines } = plainServer({ publicUrl, bodyLimitBytes: 4 * 2 ** 20 })
  const decisions: Decision[] = []
  const stored = createStoredThings({
    store,
    publicUrl,
    ...(options.now === undefined ? {} : { now: options.now }),
    ...(options.fileLimits === undefined ? {} : { fileLimits: options.fileLimits }),
  })
  const scopeBase = 'https://www.googleapis.com/auth'
  const authenticator = createCallerAuthenticator({
    resource: `${publicUrl}/v1beta`,
    publicUrl,
    vendor: 'goog',
    scopeBase,
    keyInQuery: true,
    issuers: openIssuers({ issuers: [], log }),
    isRevoked: () => false,
    store,
    log,
  })
  const bodies = createBodyBudget({ bytes: options.bodyBudgetBytes ?? 2 ** 28, log })
  const models = Object.entries(engines).map(([name, engine]) => ({ name, engine, fallbacks }))
  mountModelApi(server, {
    publicUrl,
    trustedProxies: options.trustedProxies ?? [],
    vendor: 'goog',
    scopeBase,
    authenticator,
    authorizationServers: [],
    models: createModelTable(models, aliases),
    tokens: createTokenCodec({ secrets: ['a secret of the tests, 32 characters'] }),
    stored,
    bodyLimit: 20 * 2 ** 20,
    bodies,
    log,
    onDecision: (decision) => {
      decisions.push(decision)
      return options.recorded?.()
    },
    admission: options.admission,
  })
  if (options.isListening === true) await server.listen({ host: '127.0.0.1', port })
  const apiKeys = createApiKeys(store, microsecondClock())
  return {
    server,
    publicUrl,
    stored,
    decisions,
    lines,
    bodies,
    keyFor: async (principal) => {
      const { key } = await apiKeys.create({ name: principal, principal })
      noteSecret('an API key', key)
      return key
    },
    call: (key, { headers, ...call }) =>
      server.inject({ ...call, headers: { host: '127.0.0.1:8080', 'x-goog-api-key': key, ...headers } }),
    [Symbol.asyncDispose]: async () => {
      await server.close()
      await authenticator.close()
    },
  }
}
