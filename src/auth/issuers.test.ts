import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { bearer, resource } from '../../test/auth/call.ts'
import { type LocalIssuer, startLocalIssuer } from '../../test/auth/local-issuer.ts'
import { assertWithin } from '../../test/engines/own-time.ts'
import { recordingLog } from '../../test/serving/plain-server.ts'
import type { Config } from '../config/config-schema.ts'
import { createLog } from '../log/log.ts'
import { type Authenticator, createAuthenticator } from './authenticator.ts'
import { openIssuers } from './issuers.ts'

const ends: (() => Promise<void>)[] = []
after(() => Promise.all(ends.map((end) => end())))

async function localIssuer(): Promise<LocalIssuer> {
  const issuer = await startLocalIssuer({ audience: resource })
  ends.push(issuer.stop)
  return issuer
}

test('keys that were never read are named by their issuer, and read by the question', async () => {
  const [one, two] = [await localIssuer(), await localIssuer()]
  const issuers = [one.jwt(), two.jwt()]
  const clock = { now: Date.now() }
  const now = (): number => clock.now
  const log = createLog({ level: 'silent' })
  const opened = openIssuers({ issuers, log, now })
  ends.push(opened.close)
  two.mode = 'down'
  await assert.rejects(opened.checkKeys, {
    code: 'unavailable',
    message: `the keys of ${two.issuer} have not been read yet`,
  })
  two.mode = 'up'
  clock.now += 1000
  await opened.checkKeys()
  one.mode = 'down'
  await opened.checkKeys()
  assert.equal(one.count(), 2)
})

test('the question whose keys are missing is answered before a probe gives up, also of an issuer that is slow', async () => {
  const [quick, slow] = [await localIssuer(), await localIssuer()]
  const log = createLog({ level: 'silent' })
  const opened = openIssuers({ issuers: [quick.jwt(), slow.jwt()], log })
  ends.push(opened.close)
  const release = slow.hold()
  const message = `the keys of ${slow.issuer} have not been read yet`
  await assertWithin(1000, assert.rejects(opened.checkKeys, { message }))
  release()
  await opened.checkKeys()
})

test('what is cut short by closing is not told as an outage of the issuer', async () => {
  const issuer = await localIssuer()
  const { log, lines } = recordingLog()
  const opened = openIssuers({ issuers: [issuer.jwt()], log })
  issuer.hold()
  const asked = opened.checkKeys()
  await opened.close()
  await assert.rejects(asked, { code: 'unavailable' })
  assert.deepEqual(lines, [])
})

const otherResource = 'http://127.0.0.1:8080/api'

/** Two resources of one gateway. */
function twoResources(issuers: Config['issuers']): readonly [Authenticator, Authenticator] {
  const opened = openIssuers({ issuers, log: createLog({ level: 'silent' }) })
  ends.push(opened.close)
  const parts = { issuers: opened, isRevoked: () => false }
  return [
    createAuthenticator({ ...parts, resource }),
    createAuthenticator({ ...parts, resource: otherResource }),
  ]
}

test('the keys of an issuer are read once for all resources', async () => {
  const issuer = await localIssuer()
  const [one, other] = twoResources([issuer.jwt()])
  await Promise.all([
    one.authenticate(bearer(issuer.token())),
    other.authenticate(bearer(issuer.token({ aud: otherResource }))),
  ])
  await other.authenticate(bearer(issuer.token({ aud: [resource, otherResource] })))
  assert.equal(issuer.count(), 2)
})

test('unknown keys that are shown to two resources cost the issuer no more than one resource would', async () => {
  const issuer = await localIssuer()
  const [one, other] = twoResources([issuer.jwt()])
  await one.authenticate(bearer(issuer.token()))
  const flood = Array.from({ length: 500 }, (_, index) => {
    const [at, aud] = index % 2 === 0 ? [one, resource] : [other, otherResource]
    return assert.rejects(async () =>
      at.authenticate(bearer(issuer.token({ aud }, { kid: `nobody-${index}` }))),
    )
  })
  await Promise.all(flood)
  assert.ok((issuer.requests.get('/jwks') ?? 0) <= 3, `${issuer.requests.get('/jwks')} requests`)
})

for (const kind of ['jwt', 'introspection'] as const) {
  test(`a token checked by ${kind} for one resource is refused by the other, whoever saw it first`, async () => {
    const issuer = await localIssuer()
    const [one, other] = twoResources([kind === 'jwt' ? issuer.jwt() : issuer.introspecting()])
    const tokenFor = (aud: unknown): string => {
      const token = issuer.token({ aud })
      issuer.answers.set(token, { active: true, ...issuer.claims({ aud }) })
      return token
    }
    const refused = (at: Authenticator, token: string): Promise<void> =>
      assert.rejects(async () => at.authenticate(bearer(token)), { reason: 'invalid_token' })
    const [mine, theirs, both] = [
      tokenFor(resource),
      tokenFor(otherResource),
      tokenFor([resource, otherResource]),
    ]
    await one.authenticate(bearer(mine))
    await refused(other, mine)
    await refused(one, theirs)
    await other.authenticate(bearer(theirs))
    for (const [good, bad, token] of [
      [one, other, mine],
      [other, one, theirs],
    ] as const) {
      await good.authenticate(bearer(token))
      await refused(bad, token)
    }
    for (const at of [one, other]) assert.equal((await at.authenticate(bearer(both))).subject, 'alice')
  })
}

test('questions about made-up tokens are bounded for all resources together', async () => {
  const issuer = await localIssuer()
  const [one, other] = twoResources([issuer.introspecting()])
  const release = issuer.hold()
  const flood = Array.from({ length: 1000 }, (_, index) =>
    assert.rejects(async () => (index % 2 === 0 ? one : other).authenticate(bearer(`made-up-${index}`)), {
      code: 'unauthenticated',
    }),
  )
  while (issuer.questions.length === 0) await turn()
  for (const at of [one, other])
    await assert.rejects(async () => at.authenticate(bearer('one-too-many')), { code: 'unavailable' })
  release()
  await Promise.all(flood)
})
