import assert from 'node:assert/strict'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { sql } from 'kysely'
import { createLog } from '../../src/log/log.ts'
import { connect } from '../../src/store/connect.ts'
import { createLocalKey } from '../auth/local-key.ts'
import { forEachEngine } from '../store/engines.ts'
import { searchSecrets } from './secret-search.ts'
import { dumpDatabase } from './secret-search-dump.ts'
import { needlesOf } from './secret-search-forms.ts'

const key = `postern_${randomBytes(32).toString('base64url')}`

function finds(text: string, ...hay: readonly (string | Uint8Array)[]): boolean {
  const haystack = Buffer.concat([noise(), ...hay.map((piece) => Buffer.from(piece)), noise()])
  return searchSecrets([{ kind: 'secret', text }], [{ name: 'here', bytes: haystack }]).length > 0
}

function noise(): Buffer {
  return randomBytes(1000)
}

const ways: Readonly<Record<string, (secret: string) => string | Uint8Array>> = {
  'as it is': (secret) => secret,
  'in base64': (secret) => Buffer.from(secret).toString('base64'),
  'in base64url after one byte': (secret) => Buffer.from(`x${secret}`).toString('base64url'),
  'in base64 between others': (secret) => Buffer.from(`id:${secret}!`).toString('base64'),
  'in hex': (secret) => Buffer.from(secret).toString('hex'),
  'in upper-case hex': (secret) => Buffer.from(secret).toString('hex').toUpperCase(),
  'in a URL': (secret) => encodeURIComponent(secret),
  'in JSON': (secret) => JSON.stringify({ secret }),
}

for (const [way, write] of Object.entries(ways))
  test(`a secret is found ${way}`, () => {
    for (const secret of [key, 'sésame: "öffne" dich/42@home', 'hunter2?', randomBytes(20).toString('hex')])
      assert.ok(finds(secret, write(secret)), secret)
  })

test('half of a random secret is found, and what was decoded from it', () => {
  assert.ok(finds(key, key.slice(0, 24)))
  assert.ok(finds(key, key.slice(-24)))
  const bare = randomBytes(32)
  assert.ok(finds(bare.toString('base64url'), bare))
  assert.ok(finds(bare.toString('base64url'), bare.subarray(0, 16).toString('hex')))
})

test('of a token the signature is found, and the end of the claims, but not what all tokens have in common', () => {
  const { token } = createLocalKey()
  const claims = { iss: 'https://issuer.example', aud: 'https://gateway.example/mcp' }
  const secret = token({ alg: 'ES256' }, { ...claims, jti: crypto.randomUUID() })
  const other = token({ alg: 'ES256' }, { ...claims, jti: crypto.randomUUID() })
  const [, payload = '', signature = ''] = secret.split('.')
  assert.ok(finds(secret, secret))
  assert.ok(finds(secret, signature))
  assert.ok(finds(secret, payload))
  assert.ok(!finds(secret, other))
})

test('of a hostile token nothing is searched for that could be anywhere by chance', () => {
  const signature = randomBytes(32).toString('base64url')
  for (const claims of ['', 'W10', 'bnVsbA', 'eyJ9']) {
    const needles = needlesOf({ kind: 'a token', text: `eyJhbGciOiJub25lIn0.${claims}.${signature}` })
    assert.ok(needles.length > 0)
    for (const { bytes } of needles) assert.ok(bytes.length >= 16, Buffer.from(bytes).toString())
  }
})

test('of a private key its numbers are found, however the key is written', () => {
  for (const { privateKey, publicKey } of [
    generateKeyPairSync('rsa', { modulusLength: 2048 }),
    generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  ]) {
    const pem = String(privateKey.export({ format: 'pem', type: 'pkcs8' }))
    assert.ok(finds(pem, JSON.stringify(privateKey.export({ format: 'jwk' }))))
    assert.ok(finds(pem, privateKey.export({ format: 'der', type: 'pkcs8' })))
    assert.ok(!finds(pem, JSON.stringify(publicKey.export({ format: 'jwk' }))))
  }
})

test('nothing is found where nothing is, at the edges neither', () => {
  assert.ok(!finds(key, ''))
  const bytes = Buffer.from(key)
  assert.equal(searchSecrets([{ kind: 'k', text: key }], [{ name: 'whole', bytes }]).length > 0, true)
  assert.deepEqual(searchSecrets([{ kind: 'k', text: key }], [{ name: 'empty', bytes: Buffer.of() }]), [])
  assert.deepEqual(searchSecrets([], [{ name: 'whole', bytes }]), [])
})

test('it is found wherever it begins and ends', () => {
  for (let before = 0; before < 20; before += 1)
    for (const after of [0, 1, 7, 8]) {
      const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(key.slice(0, 16)), Buffer.alloc(after)])
      assert.equal(searchSecrets([{ kind: 'k', text: key }], [{ name: 'x', bytes }]).length, 1)
    }
})

test('a finding says what was found where, and not the secret', () => {
  const findings = searchSecrets(
    [{ kind: 'an API key', text: key }],
    [{ name: 'x', bytes: Buffer.from(key) }],
  )
  assert.deepEqual(
    new Set(findings.map(({ kind, place }) => `${kind} in ${place}`)),
    new Set(['an API key in x']),
  )
  assert.doesNotMatch(JSON.stringify(findings), new RegExp(key.slice(8, 20)))
})

forEachEngine((engine) => {
  test('a dump holds every column of every table, bytes too', async () => {
    await using database = await engine.create()
    // Made up, so that the search at the end of this file lets it be.
    const harmless = randomBytes(32).toString('base64url')
    const store = await connect(database.url, { log: createLog({ level: 'silent' }) })
    const bytes = sql.raw(engine.dialect === 'postgres' ? 'bytea' : 'blob')
    await sql`create table strange ("a text" text, bytes ${bytes}, number bigint)`.execute(store.db)
    await sql`insert into strange values (${harmless}, ${Buffer.from(`in bytes ${harmless}`)}, 9007199254740993)`.execute(
      store.db,
    )
    const dump = await dumpDatabase(database.url)
    await store.close()
    const found = searchSecrets([{ kind: 'key', text: harmless }], dump).map(({ form }) => form)
    assert.ok(found.some((form) => form.includes('as it is')))
    assert.ok(found.some((form) => form.includes('hex')))
    assert.match(dump.map(({ bytes: text }) => Buffer.from(text).toString()).join(), /9007199254740993/)
  })
})
