import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import type { AuthorityContext } from '../../src/authority/context.ts'
import { createAuthority } from '../../src/authority/create-authority.ts'
import { listen } from '../../src/authority/http-listener.ts'
import { createInteractionRoutes } from '../../src/authority/interaction-routes.ts'
import { createUsers, type Users } from '../../src/authority/users.ts'
import { createLog, type Log } from '../../src/log/log.ts'
import { type Clock, microsecondClock } from '../../src/store/clock.ts'
import { migrations } from '../../src/store/migrations.ts'
import type { StoreSchema } from '../../src/store/store.ts'
import { freePort } from '../free-port.ts'
import { type Engine, openDatabase, sqlite } from '../store/engines.ts'
import { coreConfig, notes } from './core-authority.ts'
import { type Answer, post } from './core-flow.ts'
import { type Browser, openBrowser, type Shown } from './people-browser.ts'

export const password = 'correct horse'

export interface PeopleAuthority extends AsyncDisposable {
  readonly url: string
  readonly users: Users
  readonly context: AuthorityContext
}

export interface PeopleOptions extends Pick<AuthorityContext, 'demo'> {
  readonly engine?: Engine
  /** One that stays when the authority is gone; its users are added by the first. */
  readonly database?: string
  readonly now?: Clock
  readonly log?: Log
  readonly port?: number
  readonly authority?: Readonly<Record<string, unknown>>
}

/** The authority with its real pages, and ada (an administrator), bob and eve as its users. */
export async function startPeople(options: PeopleOptions = {}): Promise<PeopleAuthority> {
  const port = options.port ?? (await freePort())
  const config = coreConfig('sqlite::memory:', {
    port,
    issuer: `http://127.0.0.1:${port}`,
    ...options.authority,
  })
  const store =
    options.database === undefined
      ? await (options.engine ?? sqlite).open<StoreSchema>(migrations)
      : await openDatabase<StoreSchema>(options.database, migrations)
  const now = options.now ?? microsecondClock()
  const passwordCost = { logarithm: 10, blockSize: 8, parallelism: 1 }
  const users = createUsers(store, now, passwordCost)
  if ((await users.findByLogin('ada')) === undefined) {
    await users.add({ login: 'ada', name: 'Ada Lovelace', password, isAdmin: true })
    await users.add({ login: 'bob', name: 'Bob', password, isAdmin: false })
    await users.add({ login: 'eve', name: 'Eve', password, isAdmin: false })
  }
  const log = options.log ?? createLog({ level: 'silent' })
  const { demo } = options
  const authority = await createAuthority({
    config,
    log,
    store,
    now,
    demo,
    passwordCost,
    routes: createInteractionRoutes,
  })
  const listener = await listen(authority.handle, config.authority)
  return {
    url: config.authority.issuer,
    users,
    context: authority.context,
    [Symbol.asyncDispose]: async () => {
      await listener.stop()
      await authority.stop()
      await store[Symbol.asyncDispose]()
    },
  }
}

/** A client's request, with what it needs to redeem the code. */
export interface Request {
  readonly url: URL
  readonly verifier: string
  readonly clientId: string
  readonly redirectUri: string
}

export const desk = { client_id: 'desk', redirect_uri: 'http://127.0.0.1:33418/callback' } as const
export const site = { client_id: 'site', redirect_uri: 'https://site.example/back' } as const

export function request(
  { url }: Pick<PeopleAuthority, 'url'>,
  scope: string,
  changes: Readonly<Record<string, string>> = {},
): Request {
  const verifier = randomBytes(32).toString('base64url')
  const fields = {
    response_type: 'code',
    ...desk,
    scope,
    resource: notes,
    state: 'as it was',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...changes,
  }
  return {
    url: new URL(`/authorize?${new URLSearchParams(fields).toString()}`, url),
    verifier,
    clientId: fields.client_id,
    redirectUri: fields.redirect_uri,
  }
}

/** Signs in on the sign-in page. */
export function enter(browser: Browser, page: Shown, login: string): Promise<Shown> {
  return browser.submit(page, '/enter', { login, password })
}

/** The whole way of a new browser, until it is sent back to the client. */
export async function signInAndAllow(
  authority: Pick<PeopleAuthority, 'url'>,
  asked: Request,
  login = 'ada',
): Promise<{ readonly browser: Browser; readonly back: URL }> {
  const browser = openBrowser(authority.url)
  const consent = await enter(browser, await browser.open(asked.url), login)
  assert.match(consent.text, /Allow/)
  const { url } = await browser.submit(consent, '/allow')
  return { browser, back: url }
}

export function redeem(
  authority: Pick<PeopleAuthority, 'url'>,
  { verifier, clientId, redirectUri }: Request,
  back: URL,
): Promise<Answer> {
  return post(authority, '/token', {
    grant_type: 'authorization_code',
    ...(clientId === 'site' ? { as: 'site:the secret of the site' } : { client_id: clientId }),
    redirect_uri: redirectUri,
    code: back.searchParams.get('code') ?? '',
    code_verifier: verifier,
  })
}

/** What a person reads: the text without its markup. */
export function readable({ text }: Pick<Shown, 'text'>): string {
  return text
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}
