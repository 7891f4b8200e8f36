import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { portOf } from '../serving/raw-connection.ts'
import { freshFolder, spawnPostern } from '../serving/spawn-postern.ts'
import { sealingSecret, workplace } from './call-postern.ts'

const settings = `authority: { secret: ${sealingSecret} }\n`

test('the authority says where it listens and as whom, answers, and ends with 0 at SIGTERM', async () => {
  await using folder = await freshFolder()
  await folder.write('postern.yaml', settings)
  await using postern = spawnPostern(['authority', '--port', '0'], { cwd: folder.path })
  const { url, issuer, startup_ms } = await postern.logs('ready')
  assert.equal(issuer, url)
  assert.ok(Number(startup_ms) > 0)
  const answer = await fetch(`${String(url)}/.well-known/openid-configuration`)
  assert.equal(Object(await answer.json()).issuer, issuer)
  postern.child.kill('SIGHUP')
  await postern.logs('SIGHUP ignored: a change of the configuration takes a restart')
  postern.child.kill('SIGTERM')
  assert.equal(await postern.ended(), 0)
  assert.equal(postern.err(), '')
  assert.ok(!postern.out().includes(sealingSecret))
  for (const line of postern.out().trim().split('\n')) assert.equal(typeof JSON.parse(line).msg, 'string')
})

test('a port in use ends the authority with 1 and a message that says what to do', async (t) => {
  await using folder = await freshFolder()
  await folder.write('postern.yaml', settings)
  const holder = createServer().listen(0, '127.0.0.1')
  t.after(() => holder.close())
  await once(holder, 'listening')
  const port = String(portOf(holder))
  await using postern = spawnPostern(['authority', '--port', port], { cwd: folder.path })
  assert.equal(await postern.ended(), 1)
  assert.match(
    postern.err(),
    new RegExp(`^postern: cannot listen on 127\\.0\\.0\\.1:${port}.*authority\\.port`, 'm'),
  )
})

test('without a secret the authority does not start, and says how to make one', async () => {
  await using place = await workplace('log: { level: warn }\n')
  const { code, out, err } = await place.call(['authority'])
  assert.deepEqual([code, out], [1, ''])
  assert.match(err, /authority\.secret is missing: .*openssl rand -base64 32.*POSTERN_AUTHORITY_SECRET/)
})

test('an authority that others can reach takes no demo user', async () => {
  const env = { POSTERN_DEMO_USER: 'demo:word' }
  for (const more of ['issuer: https://login.example', 'host: 0.0.0.0, issuer: "http://127.0.0.1:8081"']) {
    await using place = await workplace(`authority: { secret: ${sealingSecret}, ${more} }\n`)
    const { code, err } = await place.call(['authority'], { env })
    assert.equal(code, 1)
    assert.match(err, /POSTERN_DEMO_USER is for "postern dev"/)
  }
})
