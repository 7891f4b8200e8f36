import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { admin } from './core-authority.ts'
import { type Answer, post, refresh, register } from './core-flow.ts'
import {
  enter,
  type PeopleAuthority,
  readable,
  redeem,
  request,
  signInAndAllow,
  site,
  startPeople,
} from './people-authority.ts'
import { openBrowser, type Shown } from './people-browser.ts'

const shared = await startPeople()
after(() => shared[Symbol.asyncDispose]())

/** The consent page that a new browser sees once this person has signed in. */
async function consentOf(
  authority: PeopleAuthority,
  url: URL,
  login: string,
): Promise<{ readonly page: Shown; readonly browser: ReturnType<typeof openBrowser> }> {
  const browser = openBrowser(authority.url)
  return { browser, page: await enter(browser, await browser.open(url), login) }
}

function subjectOf(token: unknown): unknown {
  return JSON.parse(Buffer.from(String(token).split('.')[1] ?? '', 'base64url').toString()).sub
}

test('the page names the app, each scope in plain words, the gateway, the account and the way back', async () => {
  const { page } = await consentOf(shared, request(shared, 'openid notes:read notes:write').url, 'bob')
  assert.match(readable(page), /Allow Desk to use gateway\.example for you\?/)
  assert.match(readable(page), /Known to those who run this gateway/)
  assert.match(
    readable(page),
    /It asks to Know which account you use here openid Read your notes notes:read Change your notes/,
  )
  assert.match(readable(page), /Account Bob \(bob\) Not you\? Use another account/)
  assert.match(
    readable(page),
    /Gateway gateway\.example Returns to an app on this computer \(127\.0\.0\.1:33418\)/,
  )
  assert.match(readable(page), /Allow Deny/)
})

test('a scope that nobody knows is neither shown nor given', async () => {
  const asked = request(shared, 'notes:read notes:delete')
  const { page, browser } = await consentOf(shared, asked.url, 'eve')
  assert.doesNotMatch(page.text, /notes:delete/)
  const { url } = await browser.submit(page, '/allow')
  assert.equal((await redeem(shared, asked, url)).body.scope, 'notes:read')
})

test('what was allowed is remembered in every browser: an app on the machine is only confirmed', async () => {
  await using authority = await startPeople()
  await signInAndAllow(authority, request(authority, 'notes:read'), 'bob')
  const asked = request(authority, 'notes:read')
  const { page, browser } = await consentOf(authority, asked.url, 'bob')
  assert.match(readable(page), /Continue to Desk\? You allowed this before/)
  assert.match(readable(page), /Continue as Bob Cancel/)
  const { url } = await browser.submit(page, '/allow')
  assert.equal((await redeem(authority, asked, url)).body.scope, 'notes:read')
})

test('a site that was allowed before is not asked about again, another person is', async () => {
  await using authority = await startPeople()
  await signInAndAllow(authority, request(authority, 'notes:read', site), 'bob')
  const asked = request(authority, 'notes:read', site)
  const { page } = await consentOf(authority, asked.url, 'bob')
  assert.equal(page.url.origin, 'https://site.example')
  assert.equal((await redeem(authority, asked, page.url)).body.scope, 'notes:read')
  const other = await consentOf(authority, request(authority, 'notes:read', site).url, 'eve')
  assert.match(readable(other.page), /Allow Site/)
})

test('stepping up shows what is new first, and gives the old and the new', async () => {
  await using authority = await startPeople()
  const { browser } = await signInAndAllow(authority, request(authority, 'notes:read', site), 'bob')
  const asked = request(authority, 'notes:read notes:write', site)
  const page = await browser.open(asked.url)
  assert.match(readable(page), /It now also asks to Change your notes .*Already allowed Read your notes/)
  const { url } = await browser.submit(page, '/allow')
  assert.equal((await redeem(authority, asked, url)).body.scope, 'notes:read notes:write')
  const third = request(authority, 'notes:read', site)
  assert.equal((await browser.open(third.url)).url.origin, 'https://site.example')
})

test('what is allowed in two windows at once is remembered of both, and given where it was asked for', async () => {
  await using authority = await startPeople()
  const asked = request(authority, 'notes:write', site)
  const { page: first, browser } = await consentOf(
    authority,
    request(authority, 'notes:read', site).url,
    'bob',
  )
  const second = await browser.open(asked.url)
  await browser.submit(first, '/allow')
  const { url } = await browser.submit(second, '/allow')
  assert.equal((await redeem(authority, asked, url)).body.scope, 'notes:write')
  const both = await browser.open(request(authority, 'notes:read notes:write', site).url)
  assert.equal(both.url.origin, 'https://site.example')
})

test('each sign-in has a family of tokens of its own: one that is stolen does not end the others', async () => {
  await using authority = await startPeople()
  const first = request(authority, 'notes:read')
  const laptop = (await redeem(authority, first, (await signInAndAllow(authority, first, 'bob')).back)).body
  const second = request(authority, 'notes:read')
  const { page, browser } = await consentOf(authority, second.url, 'bob')
  const desktop = (await redeem(authority, second, (await browser.submit(page, '/allow')).url)).body
  await refresh(authority, laptop.refresh_token)
  assert.equal((await refresh(authority, laptop.refresh_token)).body.error, 'invalid_grant')
  assert.equal((await refresh(authority, desktop.refresh_token)).status, 200)
})

test('so it is with a site that is not asked about again, and all of them end with the person', async () => {
  await using authority = await startPeople()
  const as = 'site:the secret of the site'
  const renew = (tokens: Answer['body']): Promise<Answer> =>
    post(authority, '/token', {
      grant_type: 'refresh_token',
      refresh_token: String(tokens.refresh_token),
      as,
    })
  const first = request(authority, 'openid notes:read', site)
  const laptop = (await redeem(authority, first, (await signInAndAllow(authority, first, 'bob')).back)).body
  const [second, third] = [request(authority, 'notes:read', site), request(authority, 'notes:read', site)]
  const desktop = (await redeem(authority, second, (await consentOf(authority, second.url, 'bob')).page.url))
    .body
  const { page, browser } = await consentOf(authority, third.url, 'bob')
  const tablet = (await redeem(authority, third, page.url)).body
  await post(authority, '/revoke', { token: String(tablet.refresh_token), as })
  assert.equal((await renew(tablet)).body.error, 'invalid_grant')
  const renewed = await renew(desktop)
  assert.deepEqual([renewed.status, renewed.body.scope], [200, 'notes:read'])
  assert.equal((await renew(laptop)).status, 200)
  assert.equal((await browser.open(request(authority, 'notes:read', site).url)).url.host, 'site.example')
  await authority.users.disable('bob')
  await authority.users.enable('bob')
  assert.equal((await renew(renewed.body)).body.error, 'invalid_grant')
})

test('a site that gets no refresh tokens leaves nothing that lives longer than its token', async () => {
  const client = { id: 'site', name: 'Site', secret: 'the secret of the site' }
  const clients = [{ ...client, redirectUris: [site.redirect_uri], grants: ['authorization_code'] }]
  await using authority = await startPeople({ authority: { clients } })
  const { browser } = await signInAndAllow(authority, request(authority, 'notes:read', site), 'bob')
  await browser.open(request(authority, 'notes:read', site).url)
  const { store, now, config } = authority.context
  const left = store.db.selectFrom('authority_records').select('expires_at').where('kind', '=', 'Grant')
  const ends = (await left.execute()).map(({ expires_at }) => (Number(expires_at) - now()) / 1_000_000)
  assert.equal(ends.length, 2)
  assert.ok(Math.min(...ends) <= 60 + config.authority.accessTokenSeconds)
})

test('what was allowed is remembered for as long as any of its tokens is used', async () => {
  await using authority = await startPeople()
  await signInAndAllow(authority, request(authority, 'notes:read', site), 'bob')
  const asked = request(authority, 'notes:read', site)
  const tokens = (await redeem(authority, asked, (await consentOf(authority, asked.url, 'bob')).page.url))
    .body
  const { store, now } = authority.context
  const soon = now() + 60_000_000
  await store.db
    .updateTable('authority_records')
    .set({ expires_at: soon })
    .where('kind', '=', 'Grant')
    .execute()
  const as = 'site:the secret of the site'
  const renewing = { grant_type: 'refresh_token', refresh_token: String(tokens.refresh_token), as }
  assert.equal((await post(authority, '/token', renewing)).status, 200)
  const left = store.db.selectFrom('authority_records').select('id').where('kind', '=', 'Grant')
  assert.deepEqual(await left.where('expires_at', '=', soon).execute(), [])
})

test('scopes for administrators are withheld from others, who read why, and the rest is given', async () => {
  const asked = request(shared, 'openid keys:read', { resource: admin })
  const { page, browser } = await consentOf(shared, asked.url, 'bob')
  assert.match(
    readable(page),
    /Needs an administrator, and will not be given See which API keys exist keys:read/,
  )
  const { url } = await browser.submit(page, '/allow')
  const { body } = await redeem(shared, asked, url)
  assert.deepEqual([body.scope, typeof body.id_token], ['', 'string'])
})

test('where everything needs an administrator, nobody else can allow it, not even by hand', async () => {
  const { page, browser } = await consentOf(
    shared,
    request(shared, 'keys:write', { resource: admin }).url,
    'eve',
  )
  assert.match(readable(page), /Desk cannot be allowed Everything it asks for needs an administrator/)
  assert.doesNotMatch(page.text, /\/allow"/)
  const forged = { ...page, text: page.text.replaceAll('/cancel"', '/allow"') }
  const { url } = await browser.submit(forged, '/allow')
  assert.equal(url.searchParams.get('error'), 'access_denied')
})

test('an administrator gives them, and loses them with the office', async () => {
  await using authority = await startPeople()
  const ask = () => request(authority, 'openid keys:read', { resource: admin, ...site })
  const first = ask()
  const { back, browser } = await signInAndAllow(authority, first, 'ada')
  assert.equal((await redeem(authority, first, back)).body.scope, 'keys:read')
  await authority.users.setAdmin('ada', false)
  const second = ask()
  const { url } = await browser.open(second.url)
  assert.equal((await redeem(authority, second, url)).body.scope, '')
  await authority.users.setAdmin('ada', true)
  assert.match(readable(await browser.open(ask().url)), /It now also asks to See which API keys exist/)
})

test('what a person allows is what they saw: if it has changed since, they see it first', async () => {
  await using authority = await startPeople()
  const asked = request(authority, 'openid keys:read', { resource: admin })
  const { page, browser } = await consentOf(authority, asked.url, 'bob')
  assert.match(readable(page), /Needs an administrator, and will not be given See which API keys exist/)
  await authority.users.setAdmin('bob', true)
  const again = await browser.submit(page, '/allow')
  assert.match(
    readable(again),
    /has changed since you saw it.* It asks to .*See which API keys exist keys:read/,
  )
  const { url } = await browser.submit(again, '/allow')
  assert.equal((await redeem(authority, asked, url)).body.scope, 'keys:read')
})

test('another account can be used, and what the first one allowed stays', async () => {
  await using authority = await startPeople()
  const first = request(authority, 'notes:read')
  const { browser, back } = await signInAndAllow(authority, first, 'ada')
  const tokens = (await redeem(authority, first, back)).body
  const second = request(authority, 'notes:read')
  const signIn = await browser.submit(await browser.open(second.url), '/switch')
  assert.match(readable(signIn), /^Sign in · Postern/)
  const consent = await enter(browser, signIn, 'bob')
  assert.match(readable(consent), /Account Bob/)
  const { url } = await browser.submit(consent, '/allow')
  const { access_token } = (await redeem(authority, second, url)).body
  assert.equal(subjectOf(access_token), (await authority.users.findByLogin('bob'))?.id)
  assert.equal((await refresh(authority, tokens.refresh_token)).status, 200)
})

test('asked to sign in again, a person may be somebody else', async () => {
  await using authority = await startPeople()
  const { browser } = await signInAndAllow(authority, request(authority, 'notes:read'), 'ada')
  const page = await browser.open(request(authority, 'notes:read', { prompt: 'login' }).url)
  assert.match(readable(page), /Sign in/)
  assert.match(readable(await enter(browser, page, 'bob')), /Account Bob/)
})

test('a disabled person is signed out at once: no session, no refresh, and others can sign in', async () => {
  await using authority = await startPeople()
  const first = request(authority, 'notes:read')
  const { browser, back } = await signInAndAllow(authority, first, 'eve')
  const tokens = (await redeem(authority, first, back)).body
  const open = await browser.open(request(authority, 'notes:write').url)
  await authority.users.disable('eve')
  assert.equal((await refresh(authority, tokens.refresh_token)).body.error, 'invalid_grant')
  assert.match(readable(await browser.submit(open, '/allow')), /This sign-in has ended/)
  const again = await browser.open(request(authority, 'notes:read').url)
  assert.match(readable(again), /Sign in/)
  assert.match(readable(await enter(browser, again, 'bob')), /Account Bob/)
})

test('an app that registered itself is called that, and its name cannot do or hide anything', async () => {
  const { body } = await register(shared, {
    client_name: `<script>alert(1)</script>\u202EelgooG\u0000${'x'.repeat(100)}`,
    redirect_uris: ['http://127.0.0.1/callback'],
    token_endpoint_auth_method: 'none',
  })
  const asked = request(shared, 'notes:read', { client_id: String(body.client_id) })
  const { page } = await consentOf(shared, asked.url, 'bob')
  assert.match(readable(page), /This app registered itself; Postern has not verified it/)
  assert.deepEqual(
    ['<script>alert', '\u202E', '\u0000', 'x'.repeat(80)].filter((part) => page.text.includes(part)),
    [],
  )
  assert.match(page.text, /<p class="name">&lt;script&gt;alert\(1\)&lt;\/script&gt;elgooGx+…<\/p>/)
})

test('a client that takes its tokens back is asked about in full the next time', async () => {
  await using authority = await startPeople()
  const asked = request(authority, 'notes:read')
  const { back, browser } = await signInAndAllow(authority, asked, 'bob')
  const { refresh_token } = (await redeem(authority, asked, back)).body
  await post(authority, '/revoke', { token: String(refresh_token), client_id: 'desk' })
  assert.match(readable(await browser.open(request(authority, 'notes:read').url)), /Allow Desk/)
})
