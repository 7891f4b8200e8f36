import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { WireEngine } from '../../src/engines/engine.ts'
import { Presence } from '../../src/engines/presence.ts'
import { createVertexEngine, type VertexOptions, vertexUrl } from '../../src/engines/vertex-engine.ts'
import { ask, sse } from './wire-calls.ts'
import { plainAnswer, sendError, sendPlain, startWireServer } from './wire-upstream-server.ts'

function vertexEngine(t: TestContext, origin: string, options: Partial<VertexOptions> = {}): WireEngine {
  const engine = createVertexEngine({
    name: 'front',
    model: 'up',
    project: 'my project',
    location: 'europe-west1',
    baseUrl: origin,
    connectSeconds: 1,
    firstByteSeconds: 5,
    idleSeconds: 5,
    retries: 0,
    ...options,
  })
  t.after(engine.close)
  return engine
}

test('a call goes to the model of the project with our token alone', async (t) => {
  const server = await startWireServer(t, sendPlain)
  const engine = vertexEngine(t, server.origin, { accessToken: async () => 'ya29.ours' })
  const { text, usage } = await ask(engine, sse)
  assert.equal(text, plainAnswer)
  assert.deepEqual(usage, { promptTokens: 7, outputTokens: 8 })
  const [request] = server.requests
  assert.equal(
    request?.path,
    '/v1beta1/projects/my%20project/locations/europe-west1/publishers/google/models/up:streamGenerateContent?alt=sse',
  )
  assert.equal(request?.headers.authorization, 'Bearer ya29.ours')
  assert.equal(request?.headers['x-goog-api-key'], undefined)
})

test('each call has the token of its time, and a failed attempt is repeated', async (t) => {
  let issued = 0
  const server = await startWireServer(t, (exchange) => {
    if (exchange.count === 2) sendError(exchange, 503)
    else sendPlain(exchange)
  })
  const accessToken = async (): Promise<string> => {
    issued += 1
    return `token-${issued}`
  }
  const engine = vertexEngine(t, server.origin, { accessToken, retries: 1 })
  for (let count = 0; count < 2; count += 1) assert.equal((await ask(engine)).text, plainAnswer)
  assert.deepEqual(
    server.requests.map(({ headers }) => headers.authorization),
    ['Bearer token-1', 'Bearer token-2', 'Bearer token-2'],
  )
})

test('without credentials the gateway is at fault, and nothing is sent', async (t) => {
  const server = await startWireServer(t, sendPlain)
  const accessToken = async (): Promise<string> => {
    throw new Error('no key file')
  }
  const { failure } = await ask(vertexEngine(t, server.origin, { accessToken }))
  assert.deepEqual([failure?.code, failure?.reason], ['unavailable', 'upstream_refused'])
  assert.equal(server.requests.length, 0)
})

test('a caller that leaves while the token is fetched is told so at once', async (t) => {
  const server = await startWireServer(t, sendPlain)
  const engine = vertexEngine(t, server.origin, { accessToken: () => new Promise(() => undefined) })
  const caller = new Presence()
  const heard = ask(engine, { caller })
  caller.leave()
  assert.equal((await heard).failure?.reason, 'cancelled')
})

test('Application Default Credentials of a workload are exchanged once for many calls', async (t) => {
  let exchanges = 0
  const tokens = await startWireServer(t, ({ response, body }) => {
    exchanges += 1
    const form = new URLSearchParams(body.toString())
    const token = `federated-${form.get('subject_token')}-${exchanges}`
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ access_token: token, token_type: 'Bearer', expires_in: 3600 }))
  })
  const directory = await mkdtemp(join(tmpdir(), 'postern-vertex-'))
  t.after(() => rm(directory, { recursive: true }))
  const file = join(directory, 'credentials.json')
  const subject = join(directory, 'subject')
  await writeFile(subject, 'workload')
  await writeFile(
    file,
    JSON.stringify({
      type: 'external_account',
      audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q',
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      token_url: `${tokens.origin}/token`,
      credential_source: { file: subject },
    }),
  )
  const before = process.env.GOOGLE_APPLICATION_CREDENTIALS
  process.env.GOOGLE_APPLICATION_CREDENTIALS = file
  t.after(() => {
    if (before === undefined) delete process.env.GOOGLE_APPLICATION_CREDENTIALS
    else process.env.GOOGLE_APPLICATION_CREDENTIALS = before
  })
  const server = await startWireServer(t, sendPlain)
  const engine = vertexEngine(t, server.origin)
  for (let count = 0; count < 3; count += 1) assert.equal((await ask(engine)).text, plainAnswer)
  assert.deepEqual(
    server.requests.map(({ headers }) => headers.authorization),
    Array(3).fill('Bearer federated-workload-1'),
  )
})

test('the address follows the location as the official clients choose it', () => {
  assert.equal(vertexUrl('global'), 'https://aiplatform.googleapis.com')
  assert.equal(vertexUrl('europe-west1'), 'https://europe-west1-aiplatform.googleapis.com')
  assert.equal(vertexUrl('eu'), 'https://aiplatform.eu.rep.googleapis.com')
})
