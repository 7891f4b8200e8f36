import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createLog } from '../../src/log/log.ts'
import { startAuthorizationServer } from '../authorization-server/authorization-server.ts'
import { freePort } from '../free-port.ts'
import { sqlite } from '../store/engines.ts'
import { enter, type PeopleAuthority, readable, redeem, request, startPeople } from './people-authority.ts'
import { type Browser, openBrowser, type Shown } from './people-browser.ts'
import { type SmallUpstream, startSmallUpstream, upstreamClient } from './people-upstream.ts'

const grace = { sub: 'u-1', email: 'Grace@Example.org', email_verified: true, name: 'Grace Hopper' }
const upstream = await startSmallUpstream(grace)
after(() => upstream[Symbol.asyncDispose]())

function start(
  changes: Readonly<Record<string, unknown>> = {},
  settings: object = {},
  now?: () => number,
): Promise<PeopleAuthority> {
  const { issuer } = upstream
  const described = { name: 'Acme', issuer, ...upstreamClient, admins: ['grace@example.org'], ...settings }
  return startPeople({ authority: { upstream: described, ...changes }, ...(now && { now }) })
}

/** Presses “Continue with Acme” and ends where the upstream's answer leads. */
async function arrive(
  authority: PeopleAuthority,
  lies: Partial<SmallUpstream['says']> = {},
): Promise<{ readonly browser: Browser; readonly page: Shown; readonly asked: ReturnType<typeof request> }> {
  for (const name of Object.keys(upstream.says)) Reflect.deleteProperty(upstream.says, name)
  Object.assign(upstream.says, { person: grace, ...lies })
  const browser = openBrowser(authority.url, upstream.issuer)
  const asked = request(authority, 'notes:read')
  const signIn = await browser.open(asked.url)
  return { browser, asked, page: await browser.submit(signIn, '/upstream') }
}

test('a person of the upstream becomes a user, known again by issuer and subject whatever they are called', async () => {
  await using authority = await start()
  const { browser, page, asked } = await arrive(authority)
  assert.match(readable(page), /Account Grace Hopper \(grace@example\.org\)/)
  const { url } = await browser.submit(page, '/allow')
  assert.equal((await redeem(authority, asked, url)).status, 200)
  const user = await authority.users.findByLogin('grace@example.org')
  assert.deepEqual([user?.isAdmin, user?.upstream], [true, { issuer: upstream.issuer, subject: 'u-1' }])
  const renamed = { person: { ...grace, email: 'hopper@example.org', name: 'Admiral Hopper' } }
  const again = await arrive(authority, renamed)
  assert.match(readable(again.page), /Account Admiral Hopper \(hopper@example\.org\)/)
  const later = await authority.users.findById(user?.id ?? '')
  assert.deepEqual([later?.login, later?.isAdmin], ['hopper@example.org', false])
})

test('the request has state, nonce and PKCE, and asks for a fresh sign-in where one is due', async () => {
  await using authority = await start()
  await arrive(authority)
  const asked = upstream.asked()
  for (const name of ['state', 'nonce', 'code_challenge']) assert.match(asked.get(name) ?? '', /^[\w-]{43}$/)
  assert.deepEqual(
    ['code_challenge_method', 'scope', 'redirect_uri', 'prompt'].map((name) => asked.get(name)),
    ['S256', 'openid profile email', `${authority.url}/upstream/callback`, null],
  )
  const browser = openBrowser(authority.url, upstream.issuer)
  const fresh = await browser.open(
    request(authority, 'notes:read', { prompt: 'login', login_hint: 'grace' }).url,
  )
  await browser.submit(fresh, '/upstream')
  assert.deepEqual([upstream.asked().get('prompt'), upstream.asked().get('login_hint')], ['login', 'grace'])
})

test('an address goes to the upstream 200 times in ten minutes, which leaves a record each time', async () => {
  const at = Date.now() * 1000
  await using authority = await start({}, {}, () => at)
  await arrive(authority)
  const { db } = authority.context.store
  await db
    .updateTable('authority_throttles')
    .set({ failures: 199 })
    .where('subject', 'like', 'upstream:%')
    .execute()
  assert.equal((await arrive(authority)).page.status, 200)
  const { page } = await arrive(authority)
  assert.equal(page.status, 429)
  assert.match(readable(page), /Too many sign-ins from your network\. Wait \d+ seconds/)
})

const unverified = /The answer of Acme could not be verified/
const lies: Readonly<Record<string, [Partial<SmallUpstream['says']>, RegExp]>> = {
  'an ID token that its key did not sign': [{ isForged: true }, unverified],
  'an ID token of another sign-in': [{ claims: { nonce: 'another' } }, unverified],
  'an ID token for another client': [{ claims: { aud: 'another' } }, unverified],
  'an ID token of another issuer': [{ claims: { iss: 'https://evil.example' } }, unverified],
  'an ID token that has expired': [{ claims: { exp: 1000 } }, unverified],
  'an answer of another issuer': [{ answer: { iss: 'https://evil.example' } }, unverified],
  'an answer that names no issuer': [{ answer: { iss: '' } }, unverified],
  'an answer with a foreign code': [{ answer: { code: 'stolen' } }, unverified],
  'an error there': [
    { answer: { code: '', error: 'server_error' } },
    /Acme cannot be reached at this moment/,
  ],
  'a refusal': [
    { answer: { code: '', error: 'invalid_scope', error_description: 'a secret' } },
    /Acme refused the sign-in \(invalid_scope\)\. Try again/,
  ],
  'a refusal in words of its own': [
    { answer: { code: '', error: 'No <b>way</b>' } },
    /Acme refused the sign-in\. Try again/,
  ],
  'a person who cancelled there': [
    { answer: { code: '', error: 'access_denied' } },
    /sign-in at Acme was cancelled/,
  ],
  'an e-mail that is not verified': [
    { claims: { email_verified: false } },
    /has not verified your e-mail address/,
  ],
  'an e-mail of which nothing is said': [
    { claims: { email_verified: undefined } },
    /has not verified your e-mail/,
  ],
  'nobody’s name': [{ claims: { email: undefined } }, /did not say who you are/],
}
for (const [what, [lie, expected]] of Object.entries(lies)) {
  test(`nobody is signed in by ${what}, and the person reads why`, async () => {
    await using authority = await start()
    const { browser, page } = await arrive(authority, lie)
    assert.match(readable(page), expected)
    assert.match(page.text, /role="alert"/)
    assert.equal((await authority.users.list()).users.length, 3)
    assert.match(readable(await enter(browser, page, 'bob')), /Account Bob/)
  })
}

test('a name that the ID token leaves out is read from userinfo', async () => {
  await using authority = await start()
  const { page } = await arrive(authority, {
    claims: { email: undefined, email_verified: undefined },
    userInfo: { email: 'grace@example.org', email_verified: true },
  })
  assert.match(readable(page), /Account Grace Hopper \(grace@example\.org\)/)
})

test('a login that somebody has here is never taken over, whether local or of another subject', async () => {
  await using authority = await start({}, { loginClaim: 'nick' })
  const local = await arrive(authority, { claims: { nick: 'ADA' } })
  assert.match(readable(local.page), /There is another account “ada” here already/)
  assert.equal((await authority.users.findByLogin('ada'))?.upstream, undefined)
  assert.match(readable((await arrive(authority, { claims: { nick: 'grace' } })).page), /Account Grace/)
  const other = await arrive(authority, { claims: { nick: 'grace', sub: 'u-2' } })
  assert.match(readable(other.page), /There is another account “grace” here already/)
})

test('a disabled person of the upstream stays out', async () => {
  await using authority = await start()
  await arrive(authority)
  await authority.users.disable('grace@example.org')
  assert.match(readable((await arrive(authority)).page), /This account is disabled/)
})

test('an administrator whom the configuration no longer names gets no such token after a restart', async () => {
  await using database = await sqlite.create()
  const described = { name: 'Acme', issuer: upstream.issuer, ...upstreamClient }
  const before = await startPeople({
    database: database.url,
    authority: { upstream: { ...described, admins: ['grace@example.org'] } },
  })
  await arrive(before)
  const grace = async (authority: PeopleAuthority): Promise<boolean | undefined> =>
    (await authority.users.findByLogin('grace@example.org'))?.isAdmin
  assert.equal(await grace(before), true)
  await before[Symbol.asyncDispose]()
  await using after = await startPeople({ database: database.url, authority: { upstream: described } })
  assert.equal(await grace(after), false)
})

test('an answer counts once, in the browser that asked, for the interaction that asked', async () => {
  await using authority = await start()
  const { browser } = await arrive(authority, { answer: { state: 'held back' } })
  const answer = new URLSearchParams({
    code: 'code-x',
    state: upstream.asked().get('state') ?? '',
    iss: upstream.issuer,
  })
  const callback = `${authority.url}/upstream/callback?${answer.toString()}`
  assert.match(readable(await openBrowser(authority.url).open(callback)), /This sign-in has ended/)
  assert.match(readable(await browser.open(callback)), unverified)
  assert.match(readable(await openBrowser(authority.url).open(callback)), /This sign-in has ended/)
  const again = await browser.open(callback)
  assert.match(again.url.pathname, /^\/sign-in\/[\w-]+$/)
  assert.doesNotMatch(again.text, /role="alert"/)
  assert.match(readable(await enter(browser, again, 'bob')), /Account Bob/)
})

test('a page that could not reach the upstream is loaded again, and the sign-in goes on', async () => {
  await using authority = await start()
  const { browser, page } = await arrive(authority, { refusal: [502, {}] })
  assert.deepEqual([page.status, /Acme cannot be reached/.test(page.text)], [503, true])
  const again = await browser.open(page.url)
  assert.equal(again.status, 200)
  Reflect.deleteProperty(upstream.says, 'refusal')
  assert.match(readable(await browser.submit(again, '/upstream')), /Account Grace Hopper/)
})

test('the log says with which error the upstream refused, and nothing of what it wrote besides', async () => {
  const lines: string[] = []
  const { issuer } = upstream
  await using authority = await startPeople({
    authority: { upstream: { name: 'Acme', issuer, ...upstreamClient } },
    log: createLog({ level: 'info', destination: { write: (line) => lines.push(line) } }),
  })
  const error_description = 'the wrong secret is hunter2'
  const { page } = await arrive(authority, { refusal: [401, { error: 'invalid_client', error_description }] })
  assert.match(readable(page), unverified)
  const line = lines.find((text) => text.includes('sign-in at the upstream failed')) ?? '{}'
  assert.partialDeepStrictEqual(JSON.parse(line), { upstream_error: 'invalid_client', upstream_status: 401 })
  assert.doesNotMatch(lines.join(''), /hunter2/)
})

test('an answer that comes after ten minutes is too late', async () => {
  let ahead = 0
  const { issuer } = upstream
  const now = (): number => Math.floor((performance.timeOrigin + performance.now()) * 1000) + ahead
  await using authority = await startPeople({
    now,
    authority: { upstream: { name: 'Acme', issuer, ...upstreamClient } },
  })
  const { browser } = await arrive(authority, { answer: { state: 'held back' } })
  ahead = 601 * 1_000_000
  const state = upstream.asked().get('state') ?? ''
  const late = await browser.open(`${authority.url}/upstream/callback?code=x&state=${state}`)
  assert.match(readable(late), /This sign-in has ended/)
})

test('while the upstream is down the page says so, and passwords still work', async () => {
  await using authority = await start()
  const { browser, page } = await arrive(authority, { isDown: true })
  assert.deepEqual([page.status, /Acme cannot be reached/.test(page.text)], [503, true])
  assert.match(readable(await enter(browser, page, 'bob')), /Account Bob/)
})

test('without local users the upstream is asked at once, and no password is taken', async () => {
  await using authority = await start({ localUsers: false })
  Object.assign(upstream.says, { person: grace, isDown: false })
  const browser = openBrowser(authority.url, upstream.issuer)
  const page = await browser.open(request(authority, 'notes:read').url)
  assert.match(readable(page), /Account Grace Hopper/)
  const choice = await browser.submit(page, '/switch')
  assert.match(readable(choice), /Sign in .* Continue with Acme/)
  assert.doesNotMatch(choice.text, /type="password"/)
  const forged = { ...choice, text: choice.text.replaceAll('/upstream"', '/enter"') }
  assert.match(readable(await enter(browser, forged, 'ada')), /Continue with Acme/)
  await browser.submit(choice, '/upstream')
  assert.equal(upstream.asked().get('prompt'), 'login')
})

test('people sign in at a real OpenID provider in a process of its own', async () => {
  await using provider = await startAuthorizationServer({ resources: {}, scopes: [] })
  const port = await freePort()
  const registered = await fetch(`${provider.issuer}/reg`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      redirect_uris: [`http://127.0.0.1:${port}/upstream/callback`],
      application_type: 'native',
      token_endpoint_auth_method: 'client_secret_basic',
    }),
  })
  const client: { client_id: string; client_secret: string } = JSON.parse(await registered.text())
  const settings = {
    name: 'Acme',
    issuer: provider.issuer,
    scopes: ['openid'],
    loginClaim: 'sub',
    clientId: client.client_id,
    clientSecret: client.client_secret,
  }
  await using authority = await startPeople({ port, authority: { upstream: settings } })
  const browser = openBrowser(authority.url, provider.issuer)
  const asked = request(authority, 'notes:read')
  const theirs = await browser.submit(await browser.open(asked.url), '/upstream')
  const agree = await browser.submit(theirs, '', { prompt: 'login', login: 'grace', password: 'any' })
  const ours = await browser.submit(agree, '', { prompt: 'consent' })
  assert.match(readable(ours), /Account grace/)
  const { url } = await browser.submit(ours, '/allow')
  assert.equal((await redeem(authority, asked, url)).body.scope, 'notes:read')
})
