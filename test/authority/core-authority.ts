import type { AuthorityContext } from '../../src/authority/context.ts'
import { type Authority, createAuthority } from '../../src/authority/create-authority.ts'
import { listen } from '../../src/authority/http-listener.ts'
import type { Route } from '../../src/authority/route.ts'
import { createUsers } from '../../src/authority/users.ts'
import type { Config } from '../../src/config/config-schema.ts'
import { parseConfig } from '../../src/config/parse-config.ts'
import { createLog, type Log } from '../../src/log/log.ts'
import { type Clock, microsecondClock } from '../../src/store/clock.ts'
import { migrations } from '../../src/store/migrations.ts'
import type { StoreSchema } from '../../src/store/store.ts'
import { freePort } from '../free-port.ts'
import { type Engine, openDatabase, sqlite } from '../store/engines.ts'

/** The core on a port of its own, with a person at the browser who signs in as `ada` and allows everything. */
export interface Core extends AsyncDisposable, Pick<Authority, 'context' | 'refreshKeys'> {
  readonly url: string
  readonly issuer: string
}

export interface CoreOptions {
  readonly database: string
  /** Instances of one authority have one issuer and ports of their own. */
  readonly issuer?: string
  readonly now?: Clock
  readonly log?: Log
  readonly authority?: Readonly<Record<string, unknown>>
}

export const secret = 'Zk3vQ8nX1rT6yB9mW4pL7sD2gH5jF0aC'
export const gateway = 'https://gateway.example'
export const notes: string = `${gateway}/mcp`
export const admin: string = `${gateway}/api`
export const redirectUri = 'http://127.0.0.1/callback'

export async function startCore(options: CoreOptions): Promise<Core> {
  const port = await freePort()
  const config = coreConfig(options.database, {
    port,
    issuer: options.issuer ?? `http://127.0.0.1:${port}`,
    ...options.authority,
  })
  const log = options.log ?? createLog({ level: 'silent' })
  const store = await openDatabase<StoreSchema>(options.database, migrations)
  const now = options.now ?? microsecondClock()
  const users = createUsers(store, now, { logarithm: 4, blockSize: 8, parallelism: 1 })
  if ((await users.findByLogin('ada')) === undefined)
    await users.add({ login: 'ada', name: 'Ada', password: 'a password of ada', isAdmin: true })
  const authority = await createAuthority({
    config,
    log,
    store,
    now,
    routes: (context) => [willingPerson(context)],
  })
  const listener = await listen(authority.handle, config.authority)
  return {
    url: listener.url,
    issuer: config.authority.issuer,
    context: authority.context,
    refreshKeys: authority.refreshKeys,
    [Symbol.asyncDispose]: async () => {
      await listener.stop()
      await authority.stop()
      await store.close()
    },
  }
}

/** One instance on a database that is gone with it. */
export async function startAlone(
  options: Omit<CoreOptions, 'database'> & { readonly engine?: Engine } = {},
): Promise<Core> {
  const database = await (options.engine ?? sqlite).create()
  const core = await startCore({ ...options, database: database.url })
  return {
    ...core,
    [Symbol.asyncDispose]: async () => {
      await core[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
    },
  }
}

export function coreConfig(store: string, authority: Readonly<Record<string, unknown>>): Config {
  const settings = {
    store,
    server: { publicUrl: gateway },
    authority: {
      secret,
      scopes: {
        'notes:read': { description: 'Read your notes' },
        'notes:write': { description: 'Change your notes' },
      },
      clients: [
        { id: 'desk', name: 'Desk', redirectUris: [redirectUri] },
        {
          id: 'site',
          name: 'Site',
          secret: 'the secret of the site',
          redirectUris: ['https://site.example/back'],
        },
        { id: 'gate', name: 'Gateway', secret: 'the secret of the gateway', grants: [], introspects: true },
        { id: 'robot', name: 'Robot', secret: 'the secret of the robot', grants: ['client_credentials'] },
      ],
      ...authority,
    },
  }
  return parseConfig(JSON.stringify(settings), { file: 'postern.yaml', env: {} })
}

function willingPerson({ provider, store, now }: AuthorityContext): Route {
  const users = createUsers(store, now)
  return {
    method: 'GET',
    path: /^\/sign-in\/[\w-]+$/,
    handle: async ({ request, response }) => {
      const current = provider()
      const { prompt, params, session, grantId } = await current.interactionDetails(request, response)
      if (prompt.name === 'login') {
        const ada = await users.findByLogin('ada')
        return current.interactionFinished(request, response, { login: { accountId: String(ada?.id) } })
      }
      const known = grantId === undefined ? undefined : await current.Grant.find(grantId)
      const grant =
        known ?? new current.Grant({ accountId: session?.accountId, clientId: String(params.client_id) })
      const { missingOIDCScope, missingResourceScopes } = prompt.details
      if (Array.isArray(missingOIDCScope)) grant.addOIDCScope(missingOIDCScope.join(' '))
      for (const [resource, scopes] of Object.entries(missingResourceScopes ?? {})) {
        if (Array.isArray(scopes)) grant.addResourceScope(resource, scopes.join(' '))
      }
      const consent = { grantId: await grant.save() }
      return current.interactionFinished(request, response, { consent })
    },
  }
}
