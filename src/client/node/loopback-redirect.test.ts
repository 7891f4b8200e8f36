import assert from 'node:assert/strict'
import { request } from 'node:http'
import { test } from 'node:test'
import { isClientError } from '../../../test/client/client-error-check.ts'
import { loopbackRedirect } from './loopback-redirect.ts'

const page = new URL('https://issuer.example/authorize?state=the-state')
const patience = AbortSignal.timeout(10_000)

test('the answer with the right state comes back, and the browser is told so in words', async () => {
  const { shown, redirect } = scripted()
  const opened = await redirect.open()
  const answer = opened.waitForAnswer(page, patience)
  assert.equal((await shown).href, page.href)
  const response = await fetch(`${opened.redirectUri}?code=1&state=the-state`)
  assert.equal(response.status, 200)
  assert.match(await response.text(), /goes on/)
  assert.equal(response.headers.get('referrer-policy'), 'no-referrer')
  assert.equal(response.headers.get('cache-control'), 'no-store')
  assert.equal((await answer).href, `${opened.redirectUri}?code=1&state=the-state`)
  await opened.close()
  await assert.rejects(fetch(opened.redirectUri))
})

test('an answer that says no comes back too', async () => {
  const opened = await scripted().redirect.open()
  const answer = opened.waitForAnswer(page, patience)
  const response = await fetch(`${opened.redirectUri}?error=access_denied&state=the-state`)
  assert.match(await response.text(), /Not signed in/)
  assert.equal((await answer).searchParams.get('error'), 'access_denied')
  await opened.close()
})

for (const [what, status, send] of [
  ['with another state', 400, (uri: string) => fetch(`${uri}?code=1&state=other`)],
  ['without a state', 400, (uri: string) => fetch(`${uri}?code=1`)],
  ['of another path', 404, (uri: string) => fetch(new URL('/other?state=the-state', uri))],
  ['of another method', 404, (uri: string) => fetch(`${uri}?state=the-state`, { method: 'POST' })],
  ['for another host', 404, (uri: string) => fetchAs('evil.example', `${uri}?code=1&state=the-state`)],
] as const)
  test(`a request ${what} is refused, and the real answer is still waited for`, async () => {
    const opened = await scripted().redirect.open()
    const answer = opened.waitForAnswer(page, patience)
    assert.equal((await send(opened.redirectUri)).status, status)
    await fetch(`${opened.redirectUri}?code=real&state=the-state`)
    assert.equal((await answer).searchParams.get('code'), 'real')
    await opened.close()
  })

test('nothing of the request stands on the page', async () => {
  const opened = await scripted().redirect.open()
  const answer = opened.waitForAnswer(page, patience)
  const response = await fetch(`${opened.redirectUri}?code=<script>&state=the-state`)
  assert.doesNotMatch(await response.text(), /script/)
  await answer
  await opened.close()
})

test('waiting ends when the signal does', async () => {
  const opened = await scripted().redirect.open()
  const stop = new AbortController()
  const answer = opened.waitForAnswer(page, stop.signal)
  stop.abort(new Error('enough'))
  await assert.rejects(answer, /enough/)
  await opened.close()
})

test('a page that cannot be shown ends the wait', async () => {
  const redirect = loopbackRedirect({ show: () => Promise.reject(new Error('no screen')) })
  const opened = await redirect.open()
  await assert.rejects(opened.waitForAnswer(page, patience), /no screen/)
  await opened.close()
})

test('the port of last time is taken again while it is free, and another one otherwise', async () => {
  const { redirect } = scripted()
  const first = await redirect.open()
  const meanwhile = await redirect.open(first.redirectUri)
  assert.notEqual(meanwhile.redirectUri, first.redirectUri)
  await Promise.all([first.close(), meanwhile.close()])
  const again = await redirect.open(first.redirectUri)
  assert.equal(again.redirectUri, first.redirectUri)
  await again.close()
})

test('a fixed port that is in use is an error that names it', async () => {
  const first = await scripted().redirect.open()
  const port = Number(new URL(first.redirectUri).port)
  const redirect = loopbackRedirect({ show: () => {}, port })
  await assert.rejects(redirect.open(), (error: Error) => {
    assert.match(error.message, new RegExp(`port ${port} is in use`))
    return isClientError('port_in_use')(error)
  })
  await first.close()
})

function scripted(): { shown: Promise<URL>; redirect: ReturnType<typeof loopbackRedirect> } {
  const { promise, resolve } = Promise.withResolvers<URL>()
  return { shown: promise, redirect: loopbackRedirect({ show: resolve }) }
}

/** `fetch` sets the host itself. */
function fetchAs(host: string, url: string): Promise<{ readonly status: number | undefined }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers: { host } }, (response) => {
      response.resume()
      resolve({ status: response.statusCode })
    })
    sent.on('error', reject).end()
  })
}
