import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { after, test } from 'node:test'
import { bearer, callWith, resource } from '../../test/auth/call.ts'
import { type LocalAuthenticator, openAuthenticator } from '../../test/auth/local-authenticator.ts'
import { type LocalIssuer, type LocalIssuerOptions, startLocalIssuer } from '../../test/auth/local-issuer.ts'
import { createLocalKey } from '../../test/auth/local-key.ts'
import { createLog } from '../log/log.ts'

interface Setting {
  readonly issuer: LocalIssuer
  readonly authenticator: LocalAuthenticator
  readonly clock: { now: number }
}

const ends: (() => Promise<void>)[] = []
const minute = 60_000

async function setting(options: Partial<LocalIssuerOptions> = {}): Promise<Setting> {
  const clock = { now: Date.now() }
  const now = (): number => clock.now
  const issuer = await startLocalIssuer({ audience: resource, now, ...options })
  const log = createLog({ level: 'silent' })
  const authenticator = openAuthenticator({ resource, issuers: [issuer.jwt()], log, now })
  ends.push(authenticator.close, issuer.stop)
  return { issuer, authenticator, clock }
}

after(() => Promise.all(ends.map((end) => end())))

const refused = (authenticator: LocalAuthenticator, token: string): Promise<void> =>
  assert.rejects(async () => authenticator.authenticate(bearer(token)), {
    code: 'unauthenticated',
    reason: 'invalid_token',
  })

test('a good token names its principal, and nothing of the principal is the token', async () => {
  const { issuer, authenticator } = await setting()
  const token = issuer.token()
  const principal = await authenticator.authenticate(bearer(token))
  assert.deepEqual(principal, {
    issuer: issuer.issuer,
    subject: 'alice',
    clientId: 'https://app.example/client.json',
    scopes: new Set(['notes:read', 'notes:write']),
    expiresAt: principal.expiresAt,
    credential: { kind: 'jwt', id: hash('sha256', token.slice(0, token.lastIndexOf('.'))).slice(0, 32) },
    dpopKeyThumbprint: undefined,
  })
})

for (const algorithm of ['ES256', 'RS256', 'PS256', 'EdDSA'] as const) {
  test(`a token with ${algorithm} is accepted`, async () => {
    const { issuer, authenticator } = await setting({ algorithm })
    assert.equal((await authenticator.authenticate(bearer(issuer.token()))).subject, 'alice')
  })
}

test('typ may be at+jwt, application/at+jwt, JWT in any case, or absent', async () => {
  const { issuer, authenticator } = await setting()
  for (const typ of ['at+jwt', 'AT+JWT', 'application/at+jwt', 'JWT', 'jwt', undefined]) {
    assert.equal((await authenticator.authenticate(bearer(issuer.token({}, { typ })))).subject, 'alice')
  }
})

test('an issuer with a path is found', async () => {
  const { issuer, authenticator } = await setting({ path: '/tenant/a' })
  assert.equal((await authenticator.authenticate(bearer(issuer.token()))).issuer, issuer.issuer)
})

test('a configured key set needs no metadata', async () => {
  const issuer = await startLocalIssuer({ audience: resource })
  const issuers = [issuer.jwt({ jwksUri: `${issuer.issuer}/jwks` })]
  const authenticator = openAuthenticator({ resource, issuers, log: createLog({ level: 'silent' }) })
  ends.push(authenticator.close, issuer.stop)
  await authenticator.authenticate(bearer(issuer.token()))
  assert.deepEqual([...issuer.requests.keys()], ['/jwks'])
})

test('an algorithm that is not in the list of the issuer is refused', async () => {
  const issuer = await startLocalIssuer({ audience: resource })
  const issuers = [issuer.jwt({ algorithms: ['RS256'] })]
  const authenticator = openAuthenticator({ resource, issuers, log: createLog({ level: 'silent' }) })
  ends.push(authenticator.close, issuer.stop)
  await refused(authenticator, issuer.token())
  assert.equal(issuer.count(), 0)
})

test('a remembered token is answered without a promise, and without the issuer', async () => {
  const { issuer, authenticator } = await setting()
  const token = issuer.token()
  const first = await authenticator.authenticate(bearer(token))
  const asked = issuer.count()
  assert.equal(authenticator.authenticate(bearer(token)), first)
  assert.equal(issuer.count(), asked)
})

test('a token is remembered under the whole of it: another with the same long beginning is not it', async () => {
  const { issuer, authenticator } = await setting()
  const pad = 'x'.repeat(3000)
  const claims = JSON.stringify({ pad, ...issuer.claims() })
  const key = issuer.key()
  const header = { alg: key.algorithm, kid: key.kid, typ: 'at+jwt' }
  const [alice, mallory] = [claims, claims.replace('"alice"', '"admin"')].map((text) =>
    key.token(header, text),
  )
  assert.ok(alice !== undefined && mallory !== undefined)
  assert.equal(alice.slice(0, 4000), mallory.slice(0, 4000))
  await authenticator.authenticate(bearer(alice))
  assert.equal((await authenticator.authenticate(bearer(mallory))).subject, 'admin')
  const forged = `${mallory.split('.').slice(0, 2).join('.')}.${alice.split('.')[2]}`
  await refused(authenticator, forged)
  const resigned = `${alice.slice(0, -86)}${mallory.slice(-86)}`
  await refused(authenticator, resigned)
  assert.equal((await authenticator.authenticate(bearer(alice))).subject, 'alice')
})

test('a remembered token is refused when its time is over', async () => {
  const { issuer, authenticator, clock } = await setting()
  const token = issuer.token({ exp: Math.floor(clock.now / 1000) + 60 })
  await authenticator.authenticate(bearer(token))
  clock.now += 2 * minute
  await refused(authenticator, token)
})

test('a thousand calls at the start cost the issuer two requests', async () => {
  const { issuer, authenticator } = await setting()
  const tokens = Array.from({ length: 100 }, () => issuer.token())
  const calls = Array.from({ length: 1000 }, async (_, index) =>
    authenticator.authenticate(bearer(tokens[index % 100] ?? '')),
  )
  await Promise.all(calls)
  assert.equal(issuer.count(), 2)
})

test('after a rotation new tokens work at once and old ones until their key is taken back', async () => {
  const { issuer, authenticator, clock } = await setting()
  const old = issuer.token()
  await authenticator.authenticate(bearer(old))
  const [before] = issuer.keys
  assert.ok(before !== undefined)
  issuer.keys = [createLocalKey(), before]
  clock.now += 1000
  await authenticator.authenticate(bearer(issuer.token()))
  await authenticator.authenticate(bearer(old))
  assert.equal(issuer.requests.get('/jwks'), 2)
  issuer.keys = issuer.keys.slice(0, 1)
  clock.now += 10 * minute
  await authenticator.authenticate(bearer(issuer.token()))
  clock.now += 1000
  await refused(authenticator, before.token({ alg: 'ES256', kid: before.kid }, issuer.claims()))
})

test('a remembered token is refused once its key has left the key set', async () => {
  const { issuer, authenticator, clock } = await setting()
  const exp = Math.floor(clock.now / 1000) + 86_400
  const old = issuer.token({ exp })
  await authenticator.authenticate(bearer(old))
  issuer.keys = [createLocalKey()]
  clock.now += 1000
  await authenticator.authenticate(bearer(issuer.token()))
  clock.now += 1000
  await refused(authenticator, old)
})

test('a remembered token is refused after a rest, if its key was taken back meanwhile', async () => {
  const { issuer, authenticator, clock } = await setting()
  const old = issuer.token({ exp: Math.floor(clock.now / 1000) + 86_400 })
  await authenticator.authenticate(bearer(old))
  issuer.keys = [createLocalKey()]
  clock.now += 10 * minute
  await refused(authenticator, old)
})

test('a rotation of keys without ids is noticed', async () => {
  const { issuer, authenticator, clock } = await setting()
  await authenticator.authenticate(bearer(issuer.token({}, { kid: undefined })))
  issuer.keys = [createLocalKey()]
  clock.now += 1000
  await authenticator.authenticate(bearer(issuer.token({}, { kid: undefined })))
})

test('during an outage known and new tokens of known keys work, and it ends with no verdict after a day', async () => {
  const { issuer, authenticator, clock } = await setting()
  const exp = Math.floor(clock.now / 1000) + 2 * 86_400
  const token = issuer.token({ exp })
  await authenticator.authenticate(bearer(token))
  issuer.mode = 'down'
  for (let hours = 1; hours <= 23; hours += 1) {
    clock.now += 60 * minute
    await authenticator.authenticate(bearer(token))
    await authenticator.authenticate(bearer(issuer.token()))
  }
  clock.now += 61 * minute
  await assert.rejects(async () => authenticator.authenticate(bearer(token)), { code: 'unavailable' })
  issuer.mode = 'up'
  clock.now += 1000
  await authenticator.authenticate(bearer(token))
})

test('an issuer that moves its keys is followed, and asked anew where they are when they are not there', async () => {
  const { issuer, authenticator, clock } = await setting()
  const { metadata } = issuer
  await authenticator.authenticate(bearer(issuer.token()))
  issuer.metadata = { ...metadata, jwks_uri: `${issuer.issuer}/nowhere` }
  clock.now += 61 * minute
  await authenticator.authenticate(bearer(issuer.token()))
  assert.equal(issuer.requests.get('/nowhere'), 1)
  issuer.metadata = metadata
  issuer.keys = [createLocalKey()]
  clock.now += minute
  await authenticator.authenticate(bearer(issuer.token()))
  assert.equal(issuer.requests.get('/nowhere'), 1)
})

test('a slow issuer delays nobody whose key is known', async () => {
  const { issuer, authenticator, clock } = await setting()
  const token = issuer.token()
  await authenticator.authenticate(bearer(token))
  const release = issuer.hold()
  clock.now += 6 * minute
  const late = issuer.token()
  await authenticator.authenticate(bearer(late))
  assert.ok(!(authenticator.authenticate(bearer(late)) instanceof Promise))
  while (issuer.requests.get('/jwks') === 1) await new Promise((resolve) => setImmediate(resolve))
  assert.ok(!(authenticator.authenticate(bearer(late)) instanceof Promise))
  assert.equal(issuer.requests.get('/jwks'), 2)
  release()
})

test('a flood of unknown key ids costs the issuer a request or two, and no valid call fails', async () => {
  const { issuer, authenticator } = await setting()
  await authenticator.authenticate(bearer(issuer.token()))
  const [before] = issuer.keys
  assert.ok(before !== undefined)
  const flood = Array.from({ length: 2000 }, (_, index) =>
    refused(authenticator, before.token({ alg: 'ES256', kid: `nobody-${index}` }, issuer.claims())),
  )
  const valid = Array.from({ length: 200 }, async () => authenticator.authenticate(bearer(issuer.token())))
  issuer.keys = [createLocalKey(), before]
  const rotated = Array.from({ length: 200 }, async () => authenticator.authenticate(bearer(issuer.token())))
  for (const principal of await Promise.all([...valid, ...rotated])) assert.equal(principal.subject, 'alice')
  await Promise.all(flood)
  assert.ok((issuer.requests.get('/jwks') ?? 0) <= 3, `${issuer.requests.get('/jwks')} requests`)
})

test('an issuer that was never reached gives no verdict, and is found when it comes', async () => {
  const { issuer, authenticator, clock } = await setting()
  for (const mode of ['down', 'garbage', 'redirect'] as const) {
    issuer.mode = mode
    clock.now += 1000
    await assert.rejects(async () => authenticator.authenticate(bearer(issuer.token())), {
      code: 'unavailable',
    })
  }
  issuer.mode = 'up'
  clock.now += 1000
  await authenticator.authenticate(bearer(issuer.token()))
})

test('two issuers do not vouch for each other', async () => {
  const [one, two] = [await setting(), await setting()]
  const issuers = [one.issuer.jwt(), two.issuer.jwt()]
  const authenticator = openAuthenticator({ resource, issuers, log: createLog({ level: 'silent' }) })
  ends.push(authenticator.close)
  for (const { issuer } of [one, two]) {
    assert.equal((await authenticator.authenticate(bearer(issuer.token()))).issuer, issuer.issuer)
  }
  await refused(authenticator, one.issuer.token({ iss: two.issuer.issuer }))
})

test('without issuers every token is refused', async () => {
  const authenticator = openAuthenticator({ resource, issuers: [], log: createLog({ level: 'silent' }) })
  ends.push(authenticator.close)
  await refused(authenticator, 'opaque')
  await refused(authenticator, (await setting()).issuer.token())
  await assert.rejects(async () => authenticator.authenticate(callWith()), { reason: 'missing_token' })
})
