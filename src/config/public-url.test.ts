import assert from 'node:assert/strict'
import { test } from 'node:test'
import { derivedPublicUrl } from './public-url.ts'

test('the public URL of a loopback host follows from host and port', () => {
  assert.deepEqual(derivedPublicUrl('127.0.0.1', 8080), { url: 'http://127.0.0.1:8080' })
  assert.deepEqual(derivedPublicUrl('localhost', 1), { url: 'http://localhost:1' })
  assert.deepEqual(derivedPublicUrl('::1', 8080), { url: 'http://[::1]:8080' })
})

test('there is none for every address, for another host, and for any free port; the reason is given', () => {
  for (const host of ['0.0.0.0', '::', '0:0:0:0:0:0:0:0']) {
    assert.match(
      JSON.stringify(derivedPublicUrl(host, 8080)),
      /"server\.host".*is missing: host .* means every address/,
    )
  }
  assert.match(
    JSON.stringify(derivedPublicUrl('10.0.0.5', 8080)),
    /"server\.host".*not loopback, so .* https/,
  )
  assert.match(JSON.stringify(derivedPublicUrl('127.0.0.1', 0)), /"server\.port".*any free port/)
})
