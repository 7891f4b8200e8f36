import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { resource } from '../../test/auth/call.ts'
import { type LocalIssuer, startLocalIssuer } from '../../test/auth/local-issuer.ts'
import { recordingLog } from '../../test/serving/plain-server.ts'
import { createLog } from '../log/log.ts'
import { createAuthenticator } from './authenticator.ts'

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
  const authenticator = createAuthenticator({ resource, issuers, log, now })
  ends.push(authenticator.close)
  two.mode = 'down'
  await assert.rejects(authenticator.checkKeys, {
    code: 'unavailable',
    message: `the keys of ${two.issuer} have not been read yet`,
  })
  two.mode = 'up'
  clock.now += 1000
  await authenticator.checkKeys()
  one.mode = 'down'
  await authenticator.checkKeys()
  assert.equal(one.count(), 2)
})

test('the question whose keys are missing is answered before a probe gives up, also of an issuer that is slow', async () => {
  const [quick, slow] = [await localIssuer(), await localIssuer()]
  const log = createLog({ level: 'silent' })
  const authenticator = createAuthenticator({ resource, issuers: [quick.jwt(), slow.jwt()], log })
  ends.push(authenticator.close)
  const release = slow.hold()
  const start = performance.now()
  await assert.rejects(authenticator.checkKeys, {
    message: `the keys of ${slow.issuer} have not been read yet`,
  })
  assert.ok(performance.now() - start < 1000)
  release()
  await authenticator.checkKeys()
})

test('what is cut short by closing is not told as an outage of the issuer', async () => {
  const issuer = await localIssuer()
  const { log, lines } = recordingLog()
  const authenticator = createAuthenticator({ resource, issuers: [issuer.jwt()], log })
  issuer.hold()
  const asked = authenticator.checkKeys()
  await authenticator.close()
  await assert.rejects(asked, { code: 'unavailable' })
  assert.deepEqual(lines, [])
})
