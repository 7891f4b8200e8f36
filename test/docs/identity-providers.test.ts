import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import type { JsonClient } from '../../src/auth/json-client.ts'
import { createKeyLoader } from '../../src/auth/key-loader.ts'
import { createKeySet } from '../../src/auth/key-set.ts'
import type { Principal } from '../../src/auth/principal.ts'
import { compileScopes } from '../../src/auth/scopes.ts'
import { createTokenCheck } from '../../src/auth/token-check.ts'
import type { Config } from '../../src/config/config-schema.ts'
import { parseConfig } from '../../src/config/parse-config.ts'
import { createLog } from '../../src/log/log.ts'
import { allPages, blocksOf } from './command-blocks.ts'

type Claims = Readonly<Record<string, unknown>>

const pages = allPages().filter((page) => page.startsWith('docs/identity-providers/'))
const env = {
  POSTERN_AUTHORITY_SECRET: 'example-value-of-32-characters-and-more',
  ENTRA_CLIENT_SECRET: 'an-example',
}
const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true })
const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256', use: 'sig' }

/** The last configuration of a page is the one for tokens of the provider itself. */
function configurations(page: string): readonly Config[] {
  return blocksOf(page, 'yaml').map((text) => parseConfig(text, { file: page, env }))
}

function tokens(page: string): readonly Claims[] {
  return blocksOf(page, 'json').map((text) => Object(JSON.parse(text)))
}

/** What the provider would answer: its metadata, where OpenID puts it, and its key. */
function provider(issuer: string): JsonClient {
  const base = issuer.replace(/\/$/, '')
  const answers = new Map<string, object>([
    [`${base}/.well-known/openid-configuration`, { issuer, jwks_uri: `${base}/keys` }],
    [`${base}/keys`, { keys: [jwk] }],
  ])
  return {
    send: async ({ url }) => {
      const body = answers.get(url)
      return { status: body === undefined ? 404 : 200, body: body === undefined ? undefined : { ...body } }
    },
    close: async () => undefined,
  }
}

async function check(page: string, claims: Claims): Promise<Omit<Principal, 'credential'>> {
  const config = configurations(page).at(-1)
  assert.ok(config !== undefined)
  const text = await new SignJWT({ ...claims })
    .setProtectedHeader({ alg: 'RS256', kid: 'one', typ: 'JWT' })
    .setIssuedAt()
    .setExpirationTime('5m')
    .sign(privateKey)
  const log = createLog({ level: 'silent' })
  const byKeys = config.issuers.map((issuer) => {
    const load = createKeyLoader({ issuer, web: provider(issuer.issuer), now: Date.now })
    return { config: issuer, keys: createKeySet({ issuer: issuer.issuer, load, log, now: Date.now }) }
  })
  const issuers = { byKeys, byQuestion: [], checkKeys: async () => undefined, close: async () => undefined }
  const resource = `${config.server.publicUrl}/mcp`
  try {
    const { principal } = await createTokenCheck({ issuers, resource, now: Date.now })({ text, id: text })
    return principal
  } finally {
    for (const { keys } of byKeys) keys.close()
  }
}

test('there is a page for each provider', () => {
  assert.deepEqual(
    pages.map((page) => page.split('/').at(-1)),
    ['auth0.md', 'entra.md', 'keycloak.md', 'okta.md'],
  )
})

for (const page of pages) {
  test(`the token of ${page} is taken with its configuration, and opens the tool of the page`, async () => {
    const [claims = {}] = tokens(page)
    const config = configurations(page).at(-1)
    const { subject, scopes } = await check(page, claims)
    assert.equal(subject, claims.sub)
    const [source] = config?.tools.sources ?? []
    const needed = source?.scopes.read_notes ?? []
    assert.equal(needed.length, 1)
    const { isSatisfied } = compileScopes({ includes: config?.tools.scopeIncludes ?? {} })
    assert.ok(isSatisfied(scopes, { allOf: needed, anyOf: [] }))
  })

  test(`the token of ${page} is refused without the audience, and with that of another surface`, async () => {
    const [claims = {}] = tokens(page)
    const { aud: _, ...rest } = claims
    await assert.rejects(check(page, rest), /another audience/)
    await assert.rejects(check(page, { ...rest, aud: 'https://gate.example/v1beta' }), /another audience/)
  })
}

test('a version 2 token of Entra is refused, as its page says: for its issuer, and for its audience', async () => {
  const [first = {}, second = {}] = tokens('docs/identity-providers/entra.md')
  await assert.rejects(check('docs/identity-providers/entra.md', second), /issuer .* not accepted/)
  const elsewhere = { ...second, iss: first.iss }
  await assert.rejects(check('docs/identity-providers/entra.md', elsewhere), /another audience/)
})

test('an access token of Keycloak with a nonce is refused, as its page says', async () => {
  const page = 'docs/identity-providers/keycloak.md'
  await assert.rejects(check(page, { ...tokens(page)[0], nonce: 'n' }), /not an access token/)
})
