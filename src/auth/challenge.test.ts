import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { bearerChallenge } from './challenge.ts'

const resourceMetadata = 'https://tools.example/.well-known/oauth-protected-resource/mcp'

test('without a token the challenge names the metadata and no error', () => {
  assert.equal(bearerChallenge({ resourceMetadata }), `Bearer resource_metadata="${resourceMetadata}"`)
})

test('resource_metadata comes first, then the error, its description and the scopes', () => {
  assert.equal(
    bearerChallenge({
      resourceMetadata,
      error: 'insufficient_scope',
      description: 'add_note needs notes:write',
      scopes: ['notes:read', 'notes:write'],
    }),
    `Bearer resource_metadata="${resourceMetadata}", error="insufficient_scope", error_description="add_note needs notes:write", scope="notes:read notes:write"`,
  )
})

test('a text that is no scope is left out of the challenge', () => {
  const challenge = bearerChallenge({ resourceMetadata, scopes: ['a"b', 'a b', 'ü', '', 'notes:read'] })
  assert.match(challenge, /, scope="notes:read"$/)
})

test('a challenge stays small enough for the headers of a client: a list of scopes is whole or absent', () => {
  const scopes = Array.from({ length: 1000 }, (_, index) => `scope:${index}`)
  const long = bearerChallenge({
    resourceMetadata: 'https://a.example',
    description: 'x'.repeat(5000),
    scopes,
  })
  assert.ok(long.length < 2000, String(long.length))
  assert.doesNotMatch(long, /scope=/)
  const short = bearerChallenge({ resourceMetadata: 'https://a.example', scopes: scopes.slice(0, 300) })
  assert.match(short, /scope="scope:0 .* scope:299"$/)
})

test('whatever the parts hold, the value stays printable ASCII with quotes in pairs', () => {
  const anyText = fc.string({ unit: 'binary' })
  fc.assert(
    fc.property(anyText, anyText, fc.array(anyText), (metadata, description, scopes) => {
      const value = bearerChallenge({
        resourceMetadata: metadata,
        error: 'invalid_token',
        description,
        scopes,
      })
      assert.match(
        value,
        /^Bearer resource_metadata="[^"\\]*", error="invalid_token", error_description="[^"\\]*"(?:, scope="[^"\\]+")?$/,
      )
      assert.match(value, /^[\x20-\x7e]*$/)
    }),
  )
})
