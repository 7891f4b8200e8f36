import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine, sqlite } from '../store/engines.ts'
import { post, refresh } from './core-flow.ts'
import {
  enter,
  type PeopleAuthority,
  type PeopleOptions,
  password,
  readable,
  redeem,
  request,
  signInAndAllow,
  site,
  startPeople,
} from './people-authority.ts'
import { openBrowser } from './people-browser.ts'

interface Dated extends PeopleAuthority {
  readonly pass: (seconds: number) => void
}

async function start(options: PeopleOptions = {}): Promise<Dated> {
  let ahead = 0
  const now = (): number => Math.floor((performance.timeOrigin + performance.now()) * 1000) + ahead
  const authority = await startPeople({ now, ...options })
  const pass = (seconds: number): void => {
    ahead += seconds * 1_000_000
  }
  return { ...authority, pass }
}

const introspecting = 'gate:the secret of the gateway'
const ends: Readonly<Record<string, (authority: PeopleAuthority) => Promise<void>>> = {
  'a new password': ({ users }) => users.setPassword('bob', 'another long password'),
  'being disabled, even if enabled again,': async ({ users }) => {
    await users.disable('bob')
    await users.enable('bob')
  },
  'being removed': ({ users }) => users.remove('bob'),
}

forEachEngine((engine) => {
  for (const [what, end] of Object.entries(ends)) {
    test(`${what} ends the sessions, codes and tokens of a person, and of nobody else`, async () => {
      await using authority = await start({ engine, authority: { opaqueResources: ['mcp'] } })
      const [theirs, unused, others] = ['notes:read', 'notes:read', 'notes:read'].map((scope) =>
        request(authority, scope, site),
      )
      assert.ok(theirs !== undefined && unused !== undefined && others !== undefined)
      const { browser, back } = await signInAndAllow(authority, theirs, 'bob')
      const tokens = (await redeem(authority, theirs, back)).body
      const code = (await browser.open(unused.url)).url
      const eve = await signInAndAllow(authority, others, 'eve')
      await end(authority)
      assert.match(readable(await browser.open(request(authority, 'notes:read', site).url)), /Sign in/)
      assert.equal((await redeem(authority, unused, code)).body.error, 'invalid_grant')
      const as = 'site:the secret of the site'
      const asked = { grant_type: 'refresh_token', refresh_token: String(tokens.refresh_token), as }
      assert.equal((await post(authority, '/token', asked)).body.error, 'invalid_grant')
      const about = { token: String(tokens.access_token), as: introspecting }
      assert.deepEqual((await post(authority, '/introspect', about)).body, { active: false })
      assert.equal((await redeem(authority, others, eve.back)).status, 200)
    })
  }
})

test('a sign-in with the old password that was on its way has ended', async () => {
  await using authority = await start()
  const browser = openBrowser(authority.url)
  const page = await browser.open(request(authority, 'notes:read').url)
  const halfway = await enter(browser.halting(/^\/authorize\//), page, 'bob')
  await authority.users.setPassword('bob', 'another long password')
  assert.match(readable(await browser.open(halfway.url)), /This sign-in has ended/)
})

test('records that a request wrote again after their end count no more', async () => {
  await using authority = await start()
  const asked = request(authority, 'notes:read', site)
  const { browser, back } = await signInAndAllow(authority, asked, 'bob')
  const consent = await browser.open(request(authority, 'notes:write').url)
  const { db } = authority.context.store
  const rows = await db.selectFrom('authority_records').selectAll().execute()
  const consents = await db.selectFrom('authority_consents').selectAll().execute()
  await authority.users.setPassword('bob', 'another long password')
  await db.deleteFrom('authority_records').execute()
  await db.insertInto('authority_records').values(rows).execute()
  await db.insertInto('authority_consents').values(consents).execute()
  assert.match(readable(await browser.submit(consent, '/allow')), /This sign-in has ended/)
  assert.equal((await redeem(authority, asked, back)).body.error, 'invalid_grant')
  assert.match(readable(await browser.open(request(authority, 'notes:read', site).url)), /Sign in/)
})

test('with the new password the person is back, and is asked again what they had allowed', async () => {
  await using authority = await start()
  const { browser } = await signInAndAllow(authority, request(authority, 'notes:read'), 'bob')
  await authority.users.setPassword('bob', 'another long password')
  authority.pass(2)
  const asked = request(authority, 'notes:read')
  const page = await browser.open(asked.url)
  const fields = { login: 'bob', password: 'another long password' }
  const consent = await browser.submit(page, '/enter', fields)
  assert.match(readable(consent), /Allow Desk .* It asks to Read your notes/)
  const { url } = await browser.submit(consent, '/allow')
  const tokens = (await redeem(authority, asked, url)).body
  assert.equal((await refresh(authority, tokens.refresh_token)).status, 200)
})

test('who can no longer sign in by the configuration is signed out by it', async () => {
  await using database = await sqlite.create()
  const before = await start({ database: database.url })
  const port = Number(new URL(before.url).port)
  const { browser } = await signInAndAllow(before, request(before, 'notes:read', site), 'bob')
  assert.equal((await browser.open(request(before, 'notes:read', site).url)).url.host, 'site.example')
  await before[Symbol.asyncDispose]()
  const upstream = { name: 'Acme', issuer: 'http://127.0.0.1:1', clientId: 'a', clientSecret: 'b' }
  const authority = { localUsers: false, upstream }
  await using after = await start({ database: database.url, port, authority })
  const page = await browser.open(request(after, 'notes:read', site).url)
  assert.match(readable(page), /Acme cannot be reached/)
})

test('a session is replaced when somebody signs in, so that none can be planted before', async () => {
  await using authority = await start()
  const { db } = authority.context.store
  const sessions = async (): Promise<readonly string[]> => {
    const rows = await db.selectFrom('authority_records').selectAll().where('kind', '=', 'Session').execute()
    return rows.filter(({ consumed_at }) => consumed_at === null).map(({ id }) => id)
  }
  const browser = openBrowser(authority.url)
  const page = await browser.open(request(authority, 'notes:read').url)
  const before = await sessions()
  await browser.submit(page, '/enter', { login: 'bob', password })
  const first = await sessions()
  assert.deepEqual(
    first.filter((id) => before.includes(id)),
    [],
  )
  const again = await browser.open(request(authority, 'notes:read', { prompt: 'login' }).url)
  await browser.submit(again, '/enter', { login: 'bob', password })
  assert.deepEqual(
    (await sessions()).filter((id) => first.includes(id)),
    [],
  )
})

test('two authorities on one host leave each other’s sessions alone', async () => {
  await using one = await start()
  await using other = await start()
  const browser = openBrowser(one.url, other.url)
  for (const authority of [one, other])
    await enter(browser, await browser.open(request(authority, 'notes:read').url), 'bob')
  assert.match(readable(await browser.open(request(one, 'notes:write').url)), /Account Bob/)
  const question = await browser.open(`${one.url}/end-session`)
  await browser.submit(question, '/end-session/confirm', { logout: 'yes' })
  assert.match(readable(await browser.open(request(other, 'notes:write').url)), /Account Bob/)
})
