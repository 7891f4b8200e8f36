import assert from 'node:assert/strict'
import { after, afterEach, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { bearer, resource } from '../../test/auth/call.ts'
import { type LocalAuthenticator, openAuthenticator } from '../../test/auth/local-authenticator.ts'
import { type Claims, startLocalIssuer } from '../../test/auth/local-issuer.ts'
import { createLog } from '../log/log.ts'

const clock = { now: 1_800_000_000_000 }
const now = (): number => clock.now
const log = createLog({ level: 'silent' })
const issuer = await startLocalIssuer({ audience: resource, now })
const other = await startLocalIssuer({ audience: resource, now })
const jwtIssuer = await startLocalIssuer({ audience: resource, now })
const opened: LocalAuthenticator[] = []

function authenticatorFor(...issuers: ReturnType<typeof issuer.introspecting>[]): LocalAuthenticator {
  const authenticator = openAuthenticator({ resource, issuers, log, now })
  opened.push(authenticator)
  return authenticator
}

let made = 0
function activeToken(claims: Claims = {}, at: typeof issuer = issuer): string {
  made += 1
  const token = `opaque-${made}`
  at.answers.set(token, { active: true, token_type: 'Bearer', ...at.claims(claims) })
  return token
}

afterEach(() => {
  for (const one of [issuer, other, jwtIssuer]) {
    one.mode = 'up'
    one.questions.length = 0
    one.requests.clear()
  }
})
after(async () => {
  await Promise.all(opened.map((authenticator) => authenticator.close()))
  await Promise.all([issuer, other, jwtIssuer].map((one) => one.stop()))
})

test('an active token of ours names its principal', async () => {
  const token = activeToken({ scope: 'a b', preferred_username: 'Alice L.' })
  const principal = await authenticatorFor(issuer.introspecting()).authenticate(bearer(token))
  assert.equal(principal.subject, 'alice')
  assert.equal(principal.name, 'Alice L.')
  assert.equal(principal.issuer, issuer.issuer)
  assert.equal(principal.credential.kind, 'introspection')
  assert.deepEqual([...principal.scopes], ['a', 'b'])
})

test('the question carries form-encoded Basic credentials and the token in the body', async () => {
  const token = activeToken()
  await authenticatorFor(issuer.introspecting()).authenticate(bearer(token))
  const credentials = Buffer.from('gate+way:s%3Acr+t%2F%C3%BC%25').toString('base64')
  assert.deepEqual(issuer.questions, [
    { authorization: `Basic ${credentials}`, body: `token=${token}&token_type_hint=access_token` },
  ])
})

test('an answer is remembered for the configured time, and then asked for again', async () => {
  const authenticator = authenticatorFor(issuer.introspecting(30))
  const token = activeToken()
  await authenticator.authenticate(bearer(token))
  clock.now += 29_999
  assert.ok(!(authenticator.authenticate(bearer(token)) instanceof Promise))
  assert.equal(issuer.questions.length, 1)
  clock.now += 1
  issuer.answers.set(token, { active: false })
  await assert.rejects(async () => authenticator.authenticate(bearer(token)), { code: 'unauthenticated' })
  assert.equal(issuer.questions.length, 2)
})

test('an answer is never remembered past the end of the token', async () => {
  const authenticator = authenticatorFor(issuer.introspecting(3600))
  const token = activeToken({ exp: clock.now / 1000 + 10 })
  await authenticator.authenticate(bearer(token))
  clock.now += 40_000
  await assert.rejects(async () => authenticator.authenticate(bearer(token)), { code: 'unauthenticated' })
})

test('with no time to remember, every call asks', async () => {
  const authenticator = authenticatorFor(issuer.introspecting(0))
  const token = activeToken()
  for (let call = 0; call < 3; call += 1) await authenticator.authenticate(bearer(token))
  for (let call = 0; call < 3; call += 1) {
    await assert.rejects(async () => authenticator.authenticate(bearer('unknown')), {
      code: 'unauthenticated',
    })
  }
  assert.equal(issuer.questions.length, 6)
})

test('a thousand calls with one token ask once', async () => {
  const authenticator = authenticatorFor(issuer.introspecting())
  const token = activeToken()
  await Promise.all(Array.from({ length: 1000 }, async () => authenticator.authenticate(bearer(token))))
  assert.equal(issuer.questions.length, 1)
})

test('a token that is not active is refused, and not asked about again for a moment', async () => {
  const authenticator = authenticatorFor(issuer.introspecting())
  const refused = (): Promise<void> =>
    assert.rejects(async () => authenticator.authenticate(bearer('nobody')), { code: 'unauthenticated' })
  await refused()
  await refused()
  assert.equal(issuer.questions.length, 1)
  clock.now += 10_001
  await refused()
  assert.equal(issuer.questions.length, 2)
})

const refusedAnswers: readonly Claims[] = [
  { active: 'true' },
  { active: 1 },
  { active: null },
  { active: false },
  { aud: undefined },
  { aud: 'https://other.example' },
  { aud: `${resource}/admin` },
  { aud: [] },
  { exp: undefined },
  { exp: 1 },
  { exp: '1900000000' },
  { nbf: 1_900_000_000 },
  { iss: 'https://evil.example' },
  { iss: null },
  { sub: undefined, client_id: undefined },
  { scope: 5 },
  { token_type: 'refresh_token' },
  { token_type: 5 },
  { token_type: { toString: '', valueOf: '' } },
  { token_type: 'DPoP' },
  { cnf: { 'x5t#S256': 'x' } },
]

for (const answer of refusedAnswers) {
  test(`an answer with ${JSON.stringify(answer)} (${Object.keys(answer).join()}) is refused`, async () => {
    const token = activeToken(answer)
    const authenticator = authenticatorFor(issuer.introspecting())
    await assert.rejects(async () => authenticator.authenticate(bearer(token)), {
      code: 'unauthenticated',
      reason: 'invalid_token',
    })
  })
}

for (const mode of ['down', 'garbage', 'error', 'redirect', 'endless'] as const) {
  test(`an issuer in the state "${mode}" gives no verdict, and nothing of it is remembered`, async () => {
    const authenticator = authenticatorFor(issuer.introspecting())
    const token = activeToken()
    issuer.mode = mode
    await assert.rejects(async () => authenticator.authenticate(bearer(token)), { code: 'unavailable' })
    issuer.mode = 'up'
    assert.equal((await authenticator.authenticate(bearer(token))).subject, 'alice')
  })
}

test('a remembered token works while its issuer is down, for no longer than it is remembered', async () => {
  const authenticator = authenticatorFor(issuer.introspecting(30))
  const token = activeToken()
  await authenticator.authenticate(bearer(token))
  issuer.mode = 'down'
  clock.now += 29_000
  await authenticator.authenticate(bearer(token))
  clock.now += 1000
  await assert.rejects(async () => authenticator.authenticate(bearer(token)), { code: 'unavailable' })
})

test('an outage is logged, but not for every call', async () => {
  const lines: string[] = []
  const own = createLog({ destination: { write: (line) => void lines.push(line) } })
  const authenticator = openAuthenticator({ resource, issuers: [issuer.introspecting()], log: own, now })
  opened.push(authenticator)
  issuer.mode = 'down'
  const calls = Array.from({ length: 50 }, async () => authenticator.authenticate(bearer(activeToken())))
  await Promise.allSettled(calls)
  assert.equal(lines.length, 1)
  assert.match(lines.join(), /did not say whether a token is active/)
  assert.doesNotMatch(lines.join(), /opaque-|gate|s:cr/)
})

test('several issuers are asked in order, and the first that calls a token active decides', async () => {
  const authenticator = authenticatorFor(issuer.introspecting(), other.introspecting())
  const principal = await authenticator.authenticate(bearer(activeToken({}, other)))
  assert.equal(principal.issuer, other.issuer)
  await authenticator.authenticate(bearer(activeToken({}, issuer)))
  assert.deepEqual([issuer.questions.length, other.questions.length], [2, 1])
})

test('a token is shown again only to the issuer that has vouched for it', async () => {
  for (const cacheSeconds of [30, 0]) {
    const authenticator = authenticatorFor(
      issuer.introspecting(cacheSeconds),
      other.introspecting(cacheSeconds),
    )
    const token = activeToken({}, other)
    await authenticator.authenticate(bearer(token))
    clock.now += 31_000
    other.questions.length = 0
    issuer.questions.length = 0
    await authenticator.authenticate(bearer(token))
    assert.deepEqual([issuer.questions.length, other.questions.length], [0, 1])
  }
})

test('made-up tokens at a slow issuer are refused above a bound, and hold up no token that was good before', async () => {
  const authenticator = authenticatorFor(issuer.introspecting())
  const token = activeToken()
  await authenticator.authenticate(bearer(token))
  clock.now += 31_000
  issuer.questions.length = 0
  const release = issuer.hold()
  const flood = Array.from({ length: 1000 }, (_, index) =>
    assert.rejects(async () => authenticator.authenticate(bearer(`made-up-${index}`)), {
      code: 'unauthenticated',
    }),
  )
  await assert.rejects(async () => authenticator.authenticate(bearer('one-too-many')), {
    code: 'unavailable',
  })
  const known = authenticator.authenticate(bearer(token))
  while (!issuer.questions.some(({ body }) => body.startsWith(`token=${token}&`))) await turn()
  release()
  assert.equal((await known).subject, 'alice')
  await Promise.all(flood)
})

test('one issuer that is down does not keep another from vouching for its token', async () => {
  const authenticator = authenticatorFor(issuer.introspecting(), other.introspecting())
  issuer.mode = 'down'
  assert.equal((await authenticator.authenticate(bearer(activeToken({}, other)))).issuer, other.issuer)
  await assert.rejects(async () => authenticator.authenticate(bearer('nobody')), { code: 'unavailable' })
})

test('a JWT goes to the issuer that it names, and to no other', async () => {
  const authenticator = authenticatorFor(issuer.introspecting(), other.introspecting(), jwtIssuer.jwt())
  await authenticator.authenticate(bearer(jwtIssuer.token()))
  await assert.rejects(async () => authenticator.authenticate(bearer(jwtIssuer.token({ exp: 1 }))))
  await assert.rejects(async () =>
    authenticator.authenticate(bearer(jwtIssuer.token({ iss: 'https://evil.example' }))),
  )
  assert.deepEqual([issuer.questions.length, other.questions.length], [0, 0])
  await assert.rejects(async () => authenticator.authenticate(bearer(other.token())), {
    code: 'unauthenticated',
  })
  assert.deepEqual([issuer.questions.length, other.questions.length], [0, 1])
})
