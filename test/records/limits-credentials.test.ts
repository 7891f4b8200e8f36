import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createServer } from 'node:tls'
import { selfSignedCertificate } from '../authorization-server/self-signed-certificate.ts'
import { startRedis } from '../redis-server.ts'
import { hammer, openedLimiter } from './limited-calls.ts'

const password = 'sésame: "öffne" dich/42@home'
const one = '{ perPrincipalPerMinute: 1 }'

test('a Redis with a password counts for who has it, however the URL gives it', async (t) => {
  const redis = await startRedis({ password })
  t.after(redis.stop)
  const host = new URL(redis.url).host
  const encoded = encodeURIComponent(password)
  const urls = [redis.url, `valkey://default:${encoded}@${host}/1`, `redis://${encoded}@${host}/2`]
  for (const url of urls) {
    const { ask } = await openedLimiter(t, url, one)
    assert.deepEqual([await ask(), await ask()], ['admitted', 'quota'], url)
  }
})

test('without the right password nothing is counted, and no line of the log holds one', async (t) => {
  const redis = await startRedis({ password })
  t.after(redis.stop)
  const host = new URL(redis.url).host
  for (const url of [`redis://${host}`, `redis://:wrong-open-sesame@${host}`]) {
    const { ask, lines } = await openedLimiter(t, url, one)
    assert.equal(await ask(), 'limits_unavailable')
    assert.equal(lines.length, 1)
    assert.match(JSON.stringify(lines), /NOAUTH|WRONGPASS/)
    assert.doesNotMatch(JSON.stringify(lines), /wrong-open-sesame|redis:\/\//)
  }
})

test('rediss:// is TLS, and only to who can prove the name', async (t) => {
  const redis = await startRedis()
  const { key, certificate } = selfSignedCertificate()
  const front = createServer({ key, cert: certificate }, (socket) => {
    const behind = connect(Number(new URL(redis.url).port), '127.0.0.1')
    behind.on('error', () => socket.destroy())
    socket.on('error', () => behind.destroy())
    socket.pipe(behind).pipe(socket)
  }).listen(0, '127.0.0.1')
  front.on('tlsClientError', () => undefined)
  await once(front, 'listening')
  const directory = await mkdtemp(join(tmpdir(), 'postern-limits-'))
  t.after(async () => {
    front.close()
    await redis.stop()
    await rm(directory, { recursive: true })
  })
  const address = front.address()
  assert.ok(typeof address === 'object' && address !== null)
  const url = `rediss://localhost:${address.port}`
  const authority = join(directory, 'authority.pem')
  await writeFile(authority, certificate)

  const stranger = await openedLimiter(t, url, one)
  assert.equal(await stranger.ask(), 'limits_unavailable')
  assert.match(JSON.stringify(stranger.lines), /self-signed certificate/)
  const configuration = `{ shared: "${url}", limits: { perPrincipalPerMinute: 3 } }`
  const { hit } = await hammer(configuration, 5, { NODE_EXTRA_CA_CERTS: authority })
  assert.equal(await hit(), 3)
})
