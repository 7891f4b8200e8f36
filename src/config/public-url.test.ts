import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authorityListener, type DerivedUrl, derivedUrl, gatewayListener } from './public-url.ts'

function derivedPublicUrl(host: string, port: number): DerivedUrl {
  return derivedUrl(gatewayListener, { host, port })
}

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

test('the issuer follows from the host and port of the authority, or its own keys are named', () => {
  assert.deepEqual(derivedUrl(authorityListener, { host: '127.0.0.1', port: 8081 }), {
    url: 'http://127.0.0.1:8081',
  })
  assert.match(
    JSON.stringify(derivedUrl(authorityListener, { host: '0.0.0.0', port: 8081 })),
    /"authority\.host".*browsers and clients reach the authority/,
  )
})
