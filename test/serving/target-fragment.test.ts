import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { migrations } from '../../src/store/migrations.ts'
import type { StoreSchema } from '../../src/store/store.ts'
import { startModelServer } from '../model-api/model-server.ts'
import { uploadFile } from '../model-api/upload-calls.ts'
import { sqlite } from '../store/engines.ts'
import { startListeningGateway } from './listening-gateway.ts'
import { portOf, rawExchange } from './raw-connection.ts'

const gateway = await startListeningGateway()
const { decisions } = gateway
after(() => gateway[Symbol.asyncDispose]())

/** The status and the body that a bare socket gets for this target. */
async function ask(
  method: string,
  target: string,
  more = '',
): Promise<readonly [status: number, body: string]> {
  const head = `${method} ${target} HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nConnection: close\r\n${more}\r\n`
  const answer = await rawExchange(gateway.port, head)
  return [Number(answer.slice(9, 12)), answer.slice(answer.indexOf('\r\n\r\n') + 4)]
}

const surfaces = [
  ['the tool server', 'POST', '/mcp', /"jsonrpc":"2\.0".*must not contain #/],
  ['the Gemini API', 'DELETE', '/v1beta/files/secret', /"status": "INVALID_ARGUMENT"/],
  ['the call of a model', 'POST', '/v1beta/models/house:generateContent', /"status": "INVALID_ARGUMENT"/],
  ['the upload of files', 'POST', '/upload/v1beta/files', /"status": "INVALID_ARGUMENT"/],
  ['Vertex AI', 'GET', '/v1beta1/publishers/google/models', /"status": "INVALID_ARGUMENT"/],
  ['the administration API', 'GET', '/api/v1/keys', /must not contain #/],
  ['the metadata of a resource', 'GET', '/.well-known/oauth-protected-resource/mcp', /must not contain #/],
  ['a probe', 'GET', '/healthz', /must not contain #/],
  ['a path that nobody knows', 'GET', '/nowhere', /must not contain #/],
] as const

for (const [what, method, path, expected] of surfaces)
  for (const rest of ['#', '#/harmless', '?x=1#y', `#${'x'.repeat(8000)}`])
    test(`a target with ${rest.slice(0, 12)} is refused on the wire of ${what}`, async () => {
      const [status, body] = await ask(method, path + rest)
      assert.equal(status, 400)
      assert.match(body.replace(/\s+/g, ' '), expected)
      assert.match(body, /%23/)
      assert.deepEqual(decisions, [])
    })

test('a target in absolute form has no # either', async () => {
  const [status] = await ask('GET', 'http://127.0.0.1:8080/healthz#x')
  assert.equal(status, 400)
})

test('a # that is written as %23 is a part of the name', async () => {
  decisions.length = 0
  const [status] = await ask('DELETE', '/v1beta/files/secret%23x')
  assert.equal(status, 403)
  assert.equal(decisions[0]?.target, 'secret#x')
  decisions.length = 0
})

test('nothing is deleted behind a #, and the record of what is deleted has its name', async () => {
  await using records = await sqlite.open<StoreSchema>(migrations)
  await using models = await startModelServer({ store: records, isListening: true })
  const key = await models.keyFor('alice')
  const host = { host: new URL(models.publicUrl).host }
  await uploadFile(
    { ...models, call: (one, call) => models.call(one, { ...call, headers: { ...call.headers, ...host } }) },
    key,
    { bytes: Buffer.from('x'), file: { name: 'files/secret' } },
  )
  models.decisions.length = 0
  const remove = (target: string): Promise<string> =>
    rawExchange(
      portOf(models.server.server),
      `DELETE ${target} HTTP/1.1\r\nHost: ${host.host}\r\nx-goog-api-key: ${key}\r\nConnection: close\r\n\r\n`,
    )
  assert.match(await remove('/v1beta/files/secret#/harmless'), /^HTTP\/1\.1 400 /)
  assert.deepEqual(models.decisions, [])
  assert.match(await remove('/v1beta/files/secret'), /^HTTP\/1\.1 200 /)
  assert.deepEqual(
    models.decisions.map(({ action, target, outcome }) => [action, target, outcome]),
    [['deleteFile', 'secret', 'allow']],
  )
})
