import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isClientError } from '../../../test/client/client-error-check.ts'
import { passAnswer, popupRedirect } from './popup-redirect.ts'

const redirectUri = 'https://app.example/callback'
const page = new URL('https://issuer.example/authorize?state=the-state')
const patience = AbortSignal.timeout(10_000)

test('the answer with the right state is taken, and others are left alone', async () => {
  const shown: URL[] = []
  const opened = await popupRedirect({ redirectUri, show: (url) => void shown.push(url) }).open()
  const answer = opened.waitForAnswer(page, patience)
  passAnswer('no address')
  passAnswer(`${redirectUri}?code=other&state=other`)
  passAnswer(`${redirectUri}?code=1&state=the-state`)
  assert.equal((await answer).searchParams.get('code'), '1')
  assert.deepEqual(shown, [page])
  await opened.close()
})

test('a window that the browser does not open is an error at once', async () => {
  const opened = await popupRedirect({ redirectUri, show: () => null }).open()
  await assert.rejects(opened.waitForAnswer(page, patience), isClientError('popup_blocked'))
  await opened.close()
})

test('waiting ends when the signal does', async () => {
  const opened = await popupRedirect({ redirectUri, show: () => {} }).open()
  const stop = new AbortController()
  const answer = opened.waitForAnswer(page, stop.signal)
  stop.abort(new Error('enough'))
  await assert.rejects(answer, /enough/)
  await opened.close()
})

test('an address that others could listen to is refused', () => {
  assert.throws(
    () => popupRedirect({ redirectUri: 'http://app.example/callback', show: () => {} }),
    isClientError('insecure_url'),
  )
})
