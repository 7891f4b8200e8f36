import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { after, test } from 'node:test'
import { hashPassword } from '../../src/authority/passwords.ts'
import { refresh } from './core-flow.ts'
import {
  desk,
  enter,
  password,
  readable,
  redeem,
  request,
  signInAndAllow,
  startPeople,
} from './people-authority.ts'
import { formOf, openBrowser } from './people-browser.ts'

const authority = await startPeople()
after(() => authority[Symbol.asyncDispose]())

test('a person signs in, allows, and the client gets a code and a token in their name', async () => {
  const asked = request(authority, 'notes:read')
  const { back } = await signInAndAllow(authority, asked)
  assert.equal(back.origin + back.pathname, desk.redirect_uri)
  assert.deepEqual(
    [back.searchParams.get('state'), back.searchParams.get('iss')],
    ['as it was', authority.url],
  )
  const { status, body } = await redeem(authority, asked, back)
  assert.deepEqual([status, body.scope], [200, 'notes:read'])
  const claims: { readonly sub?: string } = JSON.parse(
    Buffer.from(String(body.access_token).split('.')[1] ?? '', 'base64url').toString(),
  )
  assert.equal(claims.sub, (await authority.users.findByLogin('ada'))?.id)
})

test('the sign-in page says who asks for what, and is ready to type into', async () => {
  const page = await openBrowser(authority.url).open(request(authority, 'notes:read').url)
  assert.match(readable(page), /Sign in to let Desk use gateway\.example/)
  assert.match(page.text, /<html lang="en">/)
  assert.match(
    page.text,
    /<label for="login">Login<\/label>\s*<input id="login"[^>]* autocomplete="username"[^>]* autofocus>/,
  )
  assert.match(
    page.text,
    /<label for="password">Password<\/label>\s*<input id="password"[^>]* autocomplete="current-password"/,
  )
  assert.doesNotMatch(page.text, /Demo/)
})

test('a page may not be framed or kept, runs one script of its own, and its style is served from here', async () => {
  const browser = openBrowser(authority.url)
  const page = await browser.open(request(authority, 'notes:read').url)
  const policy = page.headers.get('content-security-policy') ?? ''
  assert.match(policy, /default-src 'none'/)
  assert.match(policy, /frame-ancestors 'none'/)
  const [, script = ''] = /<script>(.*?)<\/script>/s.exec(page.text) ?? []
  assert.equal(page.text.match(/<script/g)?.length, 1)
  assert.ok(policy.includes(`; script-src 'sha256-${hash('sha256', script, 'base64')}';`))
  assert.doesNotMatch(policy, /unsafe|form-action/)
  assert.equal(page.headers.get('cache-control'), 'no-store')
  const [, href = ''] = /rel="stylesheet" href="([^"]+)"/.exec(page.text) ?? []
  const style = await browser.open(new URL(href, authority.url))
  assert.deepEqual([style.status, style.headers.get('content-type')], [200, 'text/css; charset=utf-8'])
})

test('a wrong password is said at the fields, which keep the login and not the password', async () => {
  const browser = openBrowser(authority.url)
  const page = await browser.open(request(authority, 'notes:read').url)
  const again = await browser.submit(page, '/enter', { login: 'ada', password: 'wrong "horse' })
  assert.equal(again.status, 400)
  assert.match(again.text, /id="complaint" role="alert"/)
  assert.match(again.text, /<input id="login"[^>]*value="ada"[^>]* aria-describedby="complaint"/)
  assert.match(again.text, /<input id="password"[^>]* autofocus>/)
  assert.doesNotMatch(again.text, /wrong/)
  assert.match((await enter(browser, again, 'ada')).text, /<dt>Account<\/dt>/)
})

test('the address of a form, opened by itself, leads to the page of the sign-in', async () => {
  const browser = openBrowser(authority.url)
  const page = await browser.open(request(authority, 'notes:read').url)
  const again = await browser.submit(page, '/enter', { login: 'ada', password: 'wrong' })
  assert.match(again.url.pathname, /\/enter$/)
  for (const step of ['enter', 'allow', 'switch', 'cancel', 'upstream']) {
    const shown = await browser.open(`${page.url.href}/${step}`)
    assert.deepEqual([shown.url.href, shown.status], [page.url.href, 200])
  }
  assert.match(readable(await enter(browser, again, 'ada')), /Account Ada/)
})

test('an unknown login, a wrong password and a disabled user read the same', async () => {
  const carol = { login: 'carol', name: 'Carol', password, isAdmin: false }
  await authority.users.add(carol)
  await authority.users.disable('carol')
  const answers = ['nobody', 'bob', 'carol'].map(async (login) => {
    const browser = openBrowser(authority.url)
    const page = await browser.open(request(authority, 'notes:read').url)
    const wrong = login === 'bob' ? 'wrong horse' : password
    const { status, text } = await browser.submit(page, '/enter', { login, password: wrong })
    return [status, readable({ text })]
  })
  const [nobody, ...others] = await Promise.all(answers)
  assert.deepEqual(others, [nobody, nobody])
})

test('what was typed as a login is shown as text, whatever it is', async () => {
  const browser = openBrowser(authority.url)
  const page = await browser.open(request(authority, 'notes:read').url)
  const again = await browser.submit(page, '/enter', { login: '"><script>x</script>', password: 'wrong' })
  assert.doesNotMatch(again.text, /<script>x/)
})

test('after five failures even the right password has to wait, and the page says how long', async () => {
  const browser = openBrowser(authority.url)
  let page = await browser.open(request(authority, 'notes:read').url)
  for (let attempt = 0; attempt < 5; attempt += 1) {
    page = await browser.submit(page, '/enter', { login: 'eve', password: 'wrong' })
    assert.equal(page.status, 400)
  }
  const blocked = await enter(browser, page, 'eve')
  assert.deepEqual([blocked.status, blocked.headers.get('retry-after')], [429, '1'])
  assert.match(
    readable(blocked),
    /Too many attempts with this login or from your network\. Wait 1 second, then try again/,
  )
})

/** What counts against logins and addresses. */
async function failures(): Promise<number> {
  const rows = await authority.context.store.db.selectFrom('authority_throttles').selectAll().execute()
  const guesses = rows.filter(({ subject }) => /^(?:login|address):/.test(subject))
  return guesses.reduce((sum, row) => sum + row.failures, 0)
}

test('while more passwords are checked than can wait, the page asks to try again, and nothing counts', async () => {
  const browser = openBrowser(authority.url)
  const page = await browser.open(request(authority, 'notes:read').url)
  const before = await failures()
  // As long as the first one takes, nobody leaves the line.
  const others = Array.from({ length: 33 }, (_, place) =>
    hashPassword('any', { logarithm: place === 0 ? 17 : 10, blockSize: 8, parallelism: place === 0 ? 3 : 1 }),
  )
  const shown = await enter(browser, page, 'bob')
  assert.deepEqual([shown.status, shown.headers.get('retry-after')], [503, '5'])
  assert.equal(await failures(), before)
  await Promise.all(others)
  assert.match((await enter(browser, shown, 'bob')).text, /<dt>Account<\/dt>/)
})

test('cancelling the sign-in and denying the request both tell the client access_denied', async () => {
  const browser = openBrowser(authority.url)
  const cancelled = await browser.submit(await browser.open(request(authority, 'notes:read').url), '/cancel')
  const consent = await enter(browser, await browser.open(request(authority, 'notes:read').url), 'bob')
  const denied = await browser.submit(consent, '/cancel')
  for (const { url } of [cancelled, denied]) {
    assert.equal(url.origin + url.pathname, desk.redirect_uri)
    assert.deepEqual(
      ['error', 'state', 'iss', 'code'].map((name) => url.searchParams.get(name)),
      ['access_denied', 'as it was', authority.url, null],
    )
  }
  const again = await browser.open(request(authority, 'notes:read').url)
  assert.match(readable(again), /It asks to Read your notes/)
})

test('a form is taken only with the cookie, the token and the origin of its own page', async () => {
  const browser = openBrowser(authority.url)
  const page = await browser.open(request(authority, 'notes:read').url)
  const other = await openBrowser(authority.url).open(request(authority, 'notes:read').url)
  const fields = { login: 'ada', password }
  const refused = [
    await browser.submit(page, '/enter', { ...fields, token: '' }),
    await browser.submit(page, '/enter', { ...fields, token: formOf(other, '/enter').fields.token ?? '' }),
    await browser.sending({ origin: 'https://evil.example' }).submit(page, '/enter', fields),
    await browser.sending({ origin: 'null' }).submit(page, '/enter', fields),
    await browser.sending({ 'sec-fetch-site': 'cross-site' }).submit(page, '/enter', fields),
    await browser.submit(page, '/cancel', { token: 'x' }),
  ]
  assert.deepEqual(
    refused.map(({ status }) => status),
    [403, 403, 403, 403, 403, 403],
  )
  const strange = await openBrowser(authority.url).submit(page, '/enter', fields)
  assert.match(readable(strange), /This sign-in has ended .*go back to the app/)
  assert.match((await browser.submit(page, '/enter', fields)).text, /<dt>Account<\/dt>/)
})

test('an interaction that is over, unknown or of another page is answered by what to do', async () => {
  const browser = openBrowser(authority.url)
  const page = await browser.open(request(authority, 'notes:read').url)
  await enter(browser, page, 'bob')
  const over = [
    await browser.submit(page, '/enter', { login: 'bob', password }),
    await browser.open(page.url),
    await browser.open(`${authority.url}/sign-in/unknown`),
    await browser.open(`${authority.url}/upstream/callback?state=unknown&code=x`),
    await browser.open(`${authority.url}/authorize/unknown`),
  ]
  for (const shown of over) {
    assert.equal(shown.status, 400)
    assert.match(readable(shown), /by going back, go forward/)
    assert.match(readable(shown), /go back to the app you came from and start there again/)
  }
})

test('a request that cannot go on ends on a page of ours, not at the client', async () => {
  const shown = await openBrowser(authority.url).open(
    request(authority, 'notes:read', { redirect_uri: 'https://evil.example/<script>' }).url,
  )
  assert.equal(shown.status, 400)
  assert.match(readable(shown), /This sign-in cannot go on .*invalid_redirect_uri/)
  assert.doesNotMatch(shown.text, /evil\.example\/<script/)
})

test('the demo user is named where one was given, and nowhere else', async () => {
  await using demo = await startPeople({ demo: { login: 'demo', password: 'amber otter 42' } })
  const page = await openBrowser(demo.url).open(request(demo, 'notes:read').url)
  assert.match(readable(page), /Demo\. Sign in as demo with the password amber otter 42/)
})

test('signing out asks first, then says so, and apps stay connected as it says', async () => {
  const asked = request(authority, 'notes:write')
  const { browser, back } = await signInAndAllow(authority, asked, 'bob')
  const tokens = (await redeem(authority, asked, back)).body
  const question = await browser.open(`${authority.url}/end-session`)
  assert.match(readable(question), /Sign out of Postern\?/)
  const done = await browser.submit(question, '/end-session/confirm', { logout: 'yes' })
  assert.match(readable(done), /You are signed out/)
  assert.match(readable(await browser.open(request(authority, 'notes:write').url)), /Sign in/)
  assert.equal((await refresh(authority, tokens.refresh_token)).status, 200)
})

test('who stays signed in reads so, and is', async () => {
  const browser = openBrowser(authority.url)
  await enter(browser, await browser.open(request(authority, 'notes:write').url), 'ada')
  const stayed = await browser.submit(
    await browser.open(`${authority.url}/end-session`),
    '/end-session/confirm',
  )
  assert.deepEqual(
    [stayed.status, /^Signed in .*You are still signed in/.test(readable(stayed))],
    [200, true],
  )
  assert.match(readable(await browser.open(request(authority, 'notes:write').url)), /Account Ada Lovelace/)
})

test('a sign-out page that is not the newest says what is true, and blames nobody', async () => {
  const browser = openBrowser(authority.url)
  await enter(browser, await browser.open(request(authority, 'notes:write').url), 'ada')
  const leave = { logout: 'yes' }
  const older = await browser.open(`${authority.url}/end-session`)
  const newer = await browser.open(`${authority.url}/end-session`)
  const still = await browser.submit(older, '/end-session/confirm', leave)
  assert.match(readable(still), /You are still signed in .*Open the sign-out page again/)
  assert.match(still.text, /<form[^>]* action="\/end-session">/)
  assert.match(readable(await browser.submit(newer, '/end-session/confirm', leave)), /You are signed out/)
  assert.match(readable(await browser.submit(newer, '/end-session/confirm', leave)), /You are signed out/)
})
