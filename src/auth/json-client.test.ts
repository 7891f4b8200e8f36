import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { resource } from '../../test/auth/call.ts'
import { startLocalIssuer } from '../../test/auth/local-issuer.ts'
import { createJsonClient } from './json-client.ts'

const issuer = await startLocalIssuer({ audience: resource })
const web = createJsonClient({ timeoutMs: 300, bytes: 10_000 })
const url = `${issuer.issuer}/jwks`

beforeEach(() => {
  issuer.mode = 'up'
})
after(async () => {
  await web.close()
  await issuer.stop()
})

test('a JSON object comes back with its status', async () => {
  const { status, body } = await web.send({ url })
  assert.equal(status, 200)
  assert.deepEqual(body, { keys: [issuer.key().publicJwk] })
})

test('a redirect is an answer, not a way', async () => {
  issuer.mode = 'redirect'
  assert.equal((await web.send({ url })).status, 302)
  assert.equal(issuer.requests.has('/elsewhere'), false)
})

test('what is no JSON object has no body', async () => {
  issuer.mode = 'garbage'
  assert.deepEqual(await web.send({ url }), { status: 200, body: undefined })
})

test('an answer that is too long is not read to its end', async () => {
  issuer.mode = 'endless'
  await assert.rejects(web.send({ url }))
})

test('an answer that takes too long is given up', async () => {
  const release = issuer.hold()
  await assert.rejects(web.send({ url }), { name: 'TimeoutError' })
  release()
})

test('closing gives up what is under way', async () => {
  const other = createJsonClient()
  const release = issuer.hold()
  const pending = assert.rejects(other.send({ url }))
  await other.close()
  await pending
  release()
})
