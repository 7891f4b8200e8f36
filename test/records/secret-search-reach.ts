import assert from 'node:assert/strict'
import { type Haystack, searchSecrets } from './secret-search.ts'

/** Every kind of credential was used; otherwise a search would have shown less than it says. */
export function assertUsed(kinds: readonly string[]): void {
  assert.deepEqual(
    expectedKinds.filter((kind) => !kinds.includes(kind)),
    [],
  )
}

const expectedKinds = [
  'an API key',
  'an access token',
  'a refresh token',
  'an ID token',
  'an authorization code',
  'a code verifier',
  'a client secret',
  'a password',
  'a wrong password',
  'a private key',
  'an assertion',
  'an opaque token',
  'a token of a test',
  'a paging key',
  'a page token (nextPageToken)',
  'the cookie postern-session',
  'the cookie postern-session.sig',
  'the id of an upload',
  'the key of the engine gemini',
  'the key of the engine openai',
  'a token for Vertex AI',
  'the credential of a tool source (mcp)',
  'the credential of a tool source (openapi)',
  'the password of Redis',
  'the password of Postgres',
  'the secret of the authority',
]

/** What is no secret is found where it belongs. */
export function assertLooked(haystacks: readonly Haystack[]): void {
  const texts = ['nightly', '/v1beta/models/g:generateContent', 'listOrders']
  const found = searchSecrets(
    texts.map((text) => ({ kind: text, text })),
    haystacks,
  ).map(({ kind, place }) => `${kind} in ${place}`)
  for (const place of expectedPlaces)
    assert.ok(
      found.some((line) => place.test(line)),
      String(place),
    )
}

const expectedPlaces = [
  /^nightly in the table \S*api_keys$/,
  /^nightly in the table \S*sessions$/,
  /^nightly in the file data\/spool/,
  /generateContent in the log of the gateway$/,
  /listOrders in the table \S*audit_events$/,
]
