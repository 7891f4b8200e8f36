import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bearerChallenge, scopeList } from './challenge.ts'

const none = { error: undefined, description: undefined, scopes: [], resourceMetadata: undefined }

for (const [header, expected] of [
  ['Bearer', none],
  ['bearer error="invalid_token"', { ...none, error: 'invalid_token' }],
  [
    'Bearer resource_metadata="https://a.example/x,y", scope="a b  a", error=insufficient_scope, error_description="say \\"a\\""',
    {
      error: 'insufficient_scope',
      description: 'say "a"',
      scopes: ['a', 'b'],
      resourceMetadata: 'https://a.example/x,y',
    },
  ],
  ['Basic realm="x", Bearer scope="a"', { ...none, scopes: ['a'] }],
  ['Bearer, Bearer scope="a"', { ...none, scopes: ['a'] }],
  ['Bearer scope="a", DPoP algs="ES256"', { ...none, scopes: ['a'] }],
  ['Bearer error="<script>"', none],
] as const)
  test(`${header} is read`, async () => {
    const response = new Response(null, { status: 401, headers: { 'www-authenticate': header } })
    assert.deepEqual(await bearerChallenge(response), expected)
  })

for (const [what, headers] of [
  ['no header', {}],
  ['another scheme', { 'www-authenticate': 'Basic realm="x"' }],
  ['a header that makes no sense', { 'www-authenticate': 'Bearer "' }],
] as const)
  test(`${what} is no challenge`, async () => {
    assert.equal(await bearerChallenge(new Response(null, { status: 401, headers })), undefined)
  })

test('a description is made fit for a terminal', async () => {
  const header = `Bearer error_description="a\u009b31m${'b'.repeat(600)}"`
  const challenge = await bearerChallenge(new Response(null, { headers: { 'www-authenticate': header } }))
  assert.equal(challenge?.description, `a 31m${'b'.repeat(495)}`)
})

test('the scopes of nothing are none', () => {
  assert.deepEqual(scopeList(undefined), [])
  assert.deepEqual(scopeList(''), [])
})
