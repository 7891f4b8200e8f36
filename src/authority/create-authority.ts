import type { RequestListener } from 'node:http'
import type { Config } from '../config/config-schema.ts'
import { Failure } from '../failure/failure.ts'
import type { Log } from '../log/log.ts'
import type { Clock } from '../store/clock.ts'
import type { Store } from '../store/store.ts'
import { recordsAdapter } from './adapter.ts'
import { createClientDocuments } from './client-documents.ts'
import type { AuthorityContext } from './context.ts'
import { createMayFetch } from './document-outage.ts'
import { createFront } from './front.ts'
import { ensureKey } from './key-ring.ts'
import { checkConfiguredClients } from './provider-clients.ts'
import { buildProvider } from './provider-configuration.ts'
import { createCurrentProvider } from './provider-current.ts'
import { createRegistrationRoute } from './registration-route.ts'
import { createResources } from './resources.ts'
import type { Route } from './route.ts'
import { createSeal } from './sealed.ts'
import { sharedSecret } from './secrets.ts'
import { startSweep } from './sweep.ts'
import { demoteUpstreamAdmins } from './upstream-users.ts'
import { createVisitRoutes } from './visit-routes.ts'

export interface AuthorityParts extends Pick<AuthorityContext, 'demo' | 'passwordCost'> {
  readonly config: Config
  readonly log: Log
  readonly store: Store
  readonly now: Clock
  /** What stands in front of the provider. */
  readonly routes: (context: AuthorityContext) => readonly Route[]
}

/** The authority without its socket; it neither opens nor closes the store. */
export interface Authority {
  readonly handle: RequestListener
  readonly context: AuthorityContext
  /** Reads the keys anew at once; every instance does it by itself four times a minute. */
  readonly refreshKeys: () => Promise<void>
  readonly stop: () => Promise<void>
}

export async function createAuthority(parts: AuthorityParts): Promise<Authority> {
  const { config, log, store, now, demo, passwordCost } = parts
  const seal = createSeal(requireSecret(config))
  await ensureKey(store, { seal, now })
  await demoteUpstreamAdmins(store, config.authority.upstream)
  const cookieKeys = [await sharedSecret(store, 'cookies', { seal, now })]
  const documents = createClientDocuments({
    allowPrivate: config.authority.allowPrivate,
    now,
    mayFetch: createMayFetch(store, now),
  })
  const ground = { config, log, store, now, demo, passwordCost, resources: createResources(config) }
  const context: AuthorityContext = { ...ground, provider: () => current.get() }
  const adapter = recordsAdapter({ store, now, seal })
  const current = await createCurrentProvider({
    store,
    seal,
    now,
    log,
    build: (jwks, retired) =>
      buildProvider({ context: ground, adapter, cookieKeys, fetch: documents.fetch, retired }, jwks),
  })
  const sweep = startSweep({ store, now, log })
  const stop = async (): Promise<void> => {
    await Promise.all([current.stop(), sweep.stop(), documents.close()])
  }
  try {
    await checkConfiguredClients(current.get(), config)
  } catch (error) {
    await stop()
    throw error
  }
  const isReady = (): Promise<boolean> =>
    store.ping().then(
      () => true,
      () => false,
    )
  const routes = [
    ...parts.routes(context),
    ...createVisitRoutes(context),
    ...(config.authority.registration ? [createRegistrationRoute(context)] : []),
  ]
  const handle = createFront({ context, routes, isReady })
  return { handle, context, refreshKeys: current.refresh, stop }
}

function requireSecret({ authority }: Config): string {
  if (authority.secret !== undefined) return authority.secret
  throw new Failure(
    'misconfigured',
    'authority.secret is missing: set it to at least 32 random characters, the same on every instance',
    { field: 'authority.secret' },
  )
}
