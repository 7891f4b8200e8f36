import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parseConfig } from '../../src/config/parse-config.ts'
import { startGateway } from '../../src/gateway/start-gateway.ts'
import { createLog } from '../../src/log/log.ts'
import { isTestFile, linkedFile } from '../architecture/link-rules.ts'
import { factsOf } from '../architecture/module-links.ts'
import { readSourceFiles } from '../architecture/source-files.ts'
import { tokensOf } from '../architecture/tokens.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const sources = new Map(readSourceFiles(root).map(({ path, text }) => [path, text]))

/** Everything that can be configured, the authority included: of that the gateway must take no notice. */
const everything = {
  server: {
    port: 0,
    opsPort: 0,
    publicUrl: 'http://127.0.0.1:8080',
    allowedOrigins: ['https://app.example'],
  },
  store: 'sqlite::memory:',
  issuers: [
    { issuer: 'https://login.example' },
    {
      issuer: 'https://asked.example',
      validate: 'introspection',
      introspection: { url: 'https://asked.example/introspect', clientId: 'gateway', clientSecret: 'x' },
    },
  ],
  tools: {
    sources: [
      { kind: 'builtin' },
      { kind: 'module', path: fileURLToPath(new URL('../conformance/note-tools.ts', import.meta.url)) },
    ],
  },
  vendor: 'acme',
  models: [{ name: 'tiny', engine: 'story' }],
  aliases: { 'gemini-*': 'tiny' },
  limits: { perPrincipalPerMinute: 5 },
  audit: { durability: 'strict' },
  log: { level: 'silent' },
  authority: {
    secret: 'n7Qe2Ld9Xv4Zr6Tm1Kc8Wb5Yp3Hg0JsA',
    clients: [{ id: 'desk', name: 'Desk', redirectUris: ['http://127.0.0.1/callback'] }],
  },
}

/** Where issuers give out tokens, keys or clients, by the names that they use. */
const placesOfAnIssuer =
  /token|authori[sz]|register|\breg\b|oauth2|oauth\/|oidc|openid|jwks|revo[ck]|introspect|userinfo|par\b|device|sign-?in|log-?in/i

test('a gateway with everything configured has no route that could issue a token', async () => {
  const config = parseConfig(JSON.stringify(everything), { file: 'postern.yaml', env: {} })
  const { gateway } = await startGateway({ config, log: createLog({ level: 'silent' }), directory: root })
  try {
    const printed = gateway.printRoutes({ commonPrefix: false })
    const routes: readonly string[] = printed.match(/\/\S*(?= \()/g) ?? []
    assert.ok(routes.includes('/mcp'), routes.join(' '))
    assert.deepEqual(
      routes.filter((path) => placesOfAnIssuer.test(path)),
      [],
    )
    const asked = ['/token', '/oauth/token', '/oauth2/token', '/v1/token', '/v1/oauthtoken', '/authorize']
    const more = ['/register', '/revoke', '/introspect', '/jwks', '/.well-known/openid-configuration']
    for (const url of [...asked, ...more, '/.well-known/oauth-authorization-server', '/sign-in/x'])
      for (const method of ['GET', 'POST'] as const)
        assert.equal((await gateway.inject({ method, url })).statusCode, 404, `${method} ${url}`)
  } finally {
    await gateway.stop()
  }
})

test('nothing that the gateway loads belongs to the authority', () => {
  const loaded = loadedBy('src/gateway/start-gateway.ts')
  assert.ok(loaded.has('src/auth/authenticator.ts'))
  assert.deepEqual(
    [...loaded].filter((path) => path.startsWith('src/authority/')),
    [],
  )
})

test('nothing that the gateway loads can sign a token or make a key', () => {
  const loaded = [...loadedBy('src/gateway/start-gateway.ts')]
  const found = loaded.filter((path) => usesOf(path).length > 0)
  // Cursors of lists are signed, with a secret that no issuer knows of.
  // Administrators make service accounts; the private key leaves with the answer, and nothing is signed with it here.
  assert.deepEqual(found, ['src/paging/token-envelope.ts', 'src/store/service-account-file.ts'])
  assert.deepEqual(usesOf('src/authority/key-ring.ts'), ['generateKeyPair', 'generateKeyPair'])
})

/** The file and all that it imports, directly or not, types included. */
function loadedBy(start: string): ReadonlySet<string> {
  const loaded = new Set<string>([start])
  // What is added while it is walked is walked too.
  for (const path of loaded) {
    for (const { specifier } of factsOf(textOf(path)).links) {
      const target = linkedFile(path, specifier)
      if (target !== null && !isTestFile(target)) loaded.add(target)
    }
  }
  return loaded
}

/** `sign` alone is an everyday word, so only calls of it count. */
function usesOf(path: string): readonly string[] {
  return tokensOf(textOf(path), false)
    .filter(
      ({ kind, text }, at, all) =>
        kind === 'word' && (signing.has(text) || (text === 'sign' && all[at + 1]?.text === '(')),
    )
    .map(({ text }) => text)
}

/** What `jose` and Node offer to sign, to make keys and to read private ones. */
const signing: ReadonlySet<string> = new Set(
  [
    'SignJWT CompactSign FlattenedSign GeneralSign UnsecuredJWT EncryptJWT CompactEncrypt',
    'createSign createHmac createPrivateKey importPKCS8 exportPKCS8',
    'generateKeyPair generateKeyPairSync generateSecret generateKey generateKeySync',
  ].flatMap((words) => words.split(' ')),
)

function textOf(path: string): string {
  const text = sources.get(path)
  assert.ok(text !== undefined, `${path} is imported but not there`)
  return text
}
