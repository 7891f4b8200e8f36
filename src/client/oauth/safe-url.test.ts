import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isClientError } from '../../../test/client/client-error-check.ts'
import { safeUrl } from './safe-url.ts'

const rule = { what: 'the server', mayBeLocal: true }

for (const url of [
  'https://a.example/x?y',
  'https://localhost/',
  'http://127.0.0.1:8080/',
  'http://127.9.9.9/',
  'http://[::1]/',
  'http://localhost:1/',
  // The parser writes these as 127.0.0.1.
  'http://2130706433/',
  'http://0x7f.1/',
])
  test(`${url} is safe`, () => {
    assert.equal(safeUrl(url, rule).href, new URL(url).href)
  })

for (const url of [
  'http://a.example/',
  'http://localhost.example/',
  'http://127.0.0.1.example/',
  'http://0.0.0.0/',
  'ws://127.0.0.1/',
  'javascript:alert(1)',
  'file:///etc/passwd',
  'https://user@a.example/',
  'https://:secret@a.example/',
  'https://a.example/#x',
  '/path',
  '',
])
  test(`"${url}" is not safe`, () => {
    assert.throws(
      () => safeUrl(url, rule),
      (error: Error) => {
        assert.doesNotMatch(error.message, /user|secret|alert|passwd/)
        return isClientError('insecure_url')(error)
      },
    )
  })

test('what is on this machine is safe only for who is there too', () => {
  for (const url of ['http://127.0.0.1/', 'https://localhost/', 'https://[::1]/'])
    assert.throws(() => safeUrl(url, { ...rule, mayBeLocal: false }), isClientError('insecure_url'))
})
