import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isTokenCount, nameKind } from './name-kind.ts'

const secretNames = `
  authorization Proxy-Authorization cookie Set-Cookie cookies x-goog-api-key X-Acme-Api-Key api_key
  apiKey APIKEY token access_token refreshToken id-token tokens client_secret secret secrets password
  userPassword passwd passphrase private_key privateKeyPem assertion client_assertion code
  code_verifier device_code cursor next_cursor pageToken nextPageToken key keys signingKey credential
  credentials dpop DPoP jwt bearer otp tokenValue key_values passcode x-auth jwk private-jwk jwks pwd
`
  .trim()
  .split(/\s+/)

const plainNames = `
  method path statusCode reqId tokenType keyId cursorStyle errorCode principal client_id issuer
  audience model tool responseTime msg hostname passed shipping oauth jwksUri passes compass
`
  .trim()
  .split(/\s+/)

test('a name that says secret is known in any case and with any separators', () => {
  for (const name of secretNames) {
    for (const written of [name, name.toUpperCase(), name.replaceAll(/[-_]/g, '.'), ` ${name} `]) {
      assert.equal(nameKind(written), 'secret', written)
    }
  }
})

test('a harmless name that resembles one stays plain', () => {
  for (const name of plainNames) assert.equal(nameKind(name), 'plain', name)
})

test('bodies and headers are kinds of their own', () => {
  for (const name of ['body', 'rawBody', 'request_body', 'payload', 'query'])
    assert.equal(nameKind(name), 'body', name)
  for (const name of ['headers', 'rawHeaders', 'response-headers'])
    assert.equal(nameKind(name), 'headers', name)
})

test('a number of tokens is a count, a text is not', () => {
  assert.equal(isTokenCount('maxOutputTokens', 100), true)
  assert.equal(isTokenCount('tokens', 'abc'), false)
  assert.equal(isTokenCount('token', 100), false)
})

test('more names than are remembered are still told apart', () => {
  for (let index = 0; index < 3000; index += 1) nameKind(`field ${index}`)
  assert.equal(nameKind('field-3001-token'), 'secret')
  assert.equal(nameKind('field-3001-tokens-used'), 'plain')
})
