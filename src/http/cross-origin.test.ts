import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import { open, plainServer } from '../../test/serving/plain-server.ts'
import { Failure } from '../failure/failure.ts'
import { openEventStream } from './event-stream.ts'
import { sendText } from './plain-answer.ts'

const origin = 'https://app.example'
const anyOrigin = { config: { access: { open: 'a test' }, anyOrigin: true } } as const

function served(): FastifyInstance {
  const { server } = plainServer({ allowedOrigins: [origin] })
  server.get('/list', open, () => ({ items: [] }))
  server.post('/models/:model', open, () => 'made')
  server.get('/text', { ...open, onRequest: (_request, reply) => sendText(reply, 200, '{}') }, () => '')
  server.get('/events', open, (_request, reply) => openEventStream(reply).end('{}'))
  server.get('/refused', open, () => {
    throw new Failure('unauthenticated', 'no token')
  })
  server.get('/public', anyOrigin, (_request, reply) =>
    reply.header('access-control-allow-origin', '*').send('{}'),
  )
  return server
}

function preflight(
  url: string,
  { method = 'POST', headers = '', from = origin } = {},
): Promise<LightMyRequestResponse> {
  return served().inject({
    method: 'OPTIONS',
    url,
    headers: {
      origin: from,
      'access-control-request-method': method,
      ...(headers !== '' && { 'access-control-request-headers': headers }),
    },
  })
}

test('a preflight from an allowed origin is answered with the methods of the path and the headers that are read', async () => {
  const asked = 'Authorization,content-type, mcp-param-region,x-goog-api-client,x-evil,cookie,dpop'
  const answer = await preflight('/models/tiny:generate?alt=sse', { headers: asked })
  assert.equal(answer.statusCode, 204)
  assert.equal(answer.body, '')
  assert.equal(answer.headers['access-control-allow-origin'], origin)
  assert.equal(answer.headers['access-control-allow-methods'], 'POST')
  assert.equal(
    answer.headers['access-control-allow-headers'],
    'authorization, content-type, mcp-param-region, x-goog-api-client, dpop',
  )
  assert.equal(answer.headers['access-control-max-age'], '600')
  assert.match(String(answer.headers.vary), /^Origin\b/)
  assert.equal(answer.headers['access-control-allow-credentials'], undefined)
})

test('a preflight that asks for no header that is read is told of none', async () => {
  const answer = await preflight('/list', { method: 'GET', headers: 'x-other, mcp-param-, "\r' })
  assert.equal(answer.statusCode, 204)
  assert.equal(answer.headers['access-control-allow-headers'], undefined)
  assert.equal(answer.headers['access-control-allow-methods'], 'GET, HEAD')
})

test('a preflight from another origin is refused and lets nothing through', async () => {
  for (const from of ['https://evil.example', 'null', 'https://app.example.evil.example', '*']) {
    const answer = await preflight('/list', { from })
    assert.equal(answer.statusCode, 403, from)
    assert.ok(!Object.keys(answer.headers).some((name) => name.startsWith('access-control-')))
  }
})

test('a preflight for a path that does not exist is a 404', async () => {
  assert.equal((await preflight('/nowhere')).statusCode, 404)
})

test('OPTIONS that is no preflight is a method like any other', async () => {
  const answer = await served().inject({ method: 'OPTIONS', url: '/list', headers: { origin } })
  assert.deepEqual([answer.statusCode, answer.headers['access-control-allow-origin']], [405, origin])
})

for (const [url, status] of [
  ['/list', 200],
  ['/text', 200],
  ['/events', 200],
  ['/refused', 401],
  ['/nowhere', 404],
] as const)
  test(`a page of an allowed origin may read the answer to ${url}, and the headers that it needs`, async () => {
    const answer = await served().inject({ url, headers: { origin } })
    assert.equal(answer.statusCode, status)
    assert.equal(answer.headers['access-control-allow-origin'], origin)
    assert.equal(answer.headers.vary, 'Origin')
    const exposed = String(answer.headers['access-control-expose-headers']).split(', ')
    for (const name of ['www-authenticate', 'link', 'x-total-count', 'x-request-id', 'retry-after'])
      assert.ok(exposed.includes(name), name)
  })

test('an answer to a caller without an origin has no such header', async () => {
  const { headers } = await served().inject('/list')
  assert.ok(!Object.keys(headers).some((name) => name.startsWith('access-control-') || name === 'vary'))
})

test('what pages of every origin may read stays open to all, and is not bound to one of them', async () => {
  for (const from of [origin, 'https://anywhere.example']) {
    const { headers } = await served().inject({ url: '/public', headers: { origin: from } })
    assert.deepEqual([headers['access-control-allow-origin'], headers.vary], ['*', undefined])
  }
})
