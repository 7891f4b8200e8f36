import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { enter, type Request, readable, redeem, request, startPeople } from './people-authority.ts'
import { type Browser, openBrowser, type Shown } from './people-browser.ts'

const shared = await startPeople()
after(() => shared[Symbol.asyncDispose]())

/** Two windows of one browser, both signed in before either has a session: the browser keeps one of the two. */
async function signInAtOnce(
  browser: Browser,
  asked: readonly Request[],
  logins: readonly string[],
): Promise<readonly Shown[]> {
  const pages = await Promise.all(asked.map(({ url }) => browser.open(url)))
  const halting = browser.halting(/^\/authorize\//)
  const halfway = pages.map((page, index) => enter(halting, page, logins[index] ?? ''))
  // The cookies of all are read before the first answer comes.
  return Promise.all((await Promise.all(halfway)).map(({ url }) => browser.open(url)))
}

test('of two windows in which a person signs in at once, both go on', async () => {
  const asked = [request(shared, 'notes:read'), request(shared, 'notes:write')]
  const browser = openBrowser(shared.url)
  const pages = await signInAtOnce(browser, asked, ['bob', 'bob'])
  for (const [index, page] of pages.entries()) {
    const { url } = await browser.submit(page, '/allow')
    assert.ok(url.searchParams.has('code'), `window ${index} ends at ${url.href}`)
  }
})

test('another account can be used in whichever window signed in first', async () => {
  for (const index of [0, 1]) {
    const asked = [request(shared, 'notes:read'), request(shared, 'notes:write')]
    const browser = openBrowser(shared.url)
    const page = (await signInAtOnce(browser, asked, ['bob', 'bob']))[index]
    assert.ok(page !== undefined)
    assert.match(readable(await browser.submit(page, '/switch')), /^Sign in · Postern/, `window ${index}`)
  }
})

test('of two windows in which two people sign in at once, one goes on, and for its own person', async () => {
  const asked = [request(shared, 'notes:read'), request(shared, 'notes:read')]
  const logins = ['bob', 'eve']
  const browser = openBrowser(shared.url)
  const pages = await signInAtOnce(browser, asked, logins)
  const ends: string[] = []
  for (const [index, page] of pages.entries()) {
    const shown = await browser.submit(page, '/allow')
    const one = asked[index]
    if (one === undefined || !shown.url.searchParams.has('code')) ends.push(readable(shown))
    else {
      const { access_token } = (await redeem(shared, one, shown.url)).body
      assert.equal(subjectOf(access_token), (await shared.users.findByLogin(logins[index] ?? ''))?.id)
    }
  }
  assert.equal(ends.length, 1)
  assert.match(ends[0] ?? '', /This sign-in has ended/)
})

test('who signs in as somebody else in a second window is that person there', async () => {
  const browser = openBrowser(shared.url)
  const [first, second] = [
    await browser.open(request(shared, 'notes:read').url),
    await browser.open(request(shared, 'notes:read').url),
  ]
  assert.match(readable(await enter(browser, first, 'bob')), /Account Bob/)
  assert.match(readable(await enter(browser, second, 'eve')), /Account Eve/)
})

function subjectOf(token: unknown): unknown {
  return JSON.parse(Buffer.from(String(token).split('.')[1] ?? '', 'base64url').toString()).sub
}
