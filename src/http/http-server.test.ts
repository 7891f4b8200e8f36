import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { InjectOptions } from 'fastify'
import { open, plainServer } from '../../test/serving/plain-server.ts'

const json = { 'content-type': 'application/json' }

const refusals: readonly (readonly [string, InjectOptions, number])[] = [
  ['an unknown path', { url: '/nowhere' }, 404],
  [
    'an unknown path with a body that is not JSON',
    { method: 'POST', url: '/nowhere', headers: json, payload: '{' },
    404,
  ],
  ['a known path with another case', { url: '/Echo' }, 404],
  ['a method that the path does not take', { method: 'DELETE', url: '/echo' }, 405],
  ['a method that no path takes', { method: 'PROPFIND', url: '/echo' }, 405],
  ['broken percent-encoding', { url: '/%zz' }, 400],
  ['percent-encoding that is not UTF-8', { url: '/%ff%fe' }, 400],
  ['JSON that does not parse', { method: 'POST', url: '/echo', headers: json, payload: '{"a":' }, 400],
  ['an empty body that claims to be JSON', { method: 'POST', url: '/echo', headers: json }, 400],
  [
    'a body with __proto__',
    { method: 'POST', url: '/echo', headers: json, payload: '{"__proto__":{"x":1}}' },
    400,
  ],
  [
    'a body with constructor.prototype',
    { method: 'POST', url: '/echo', headers: json, payload: '{"constructor":{"prototype":{"x":1}}}' },
    400,
  ],
  [
    'an escaped __proto__',
    { method: 'POST', url: '/echo', headers: json, payload: '{"\\u005f_proto__":{"x":1}}' },
    400,
  ],
  [
    'plain text',
    { method: 'POST', url: '/echo', headers: { 'content-type': 'text/plain' }, payload: 'a' },
    415,
  ],
  [
    'a form',
    {
      method: 'POST',
      url: '/echo',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: 'a=1',
    },
    415,
  ],
  [
    'a broken content-type',
    { method: 'POST', url: '/echo', headers: { 'content-type': 'json' }, payload: '{}' },
    415,
  ],
  [
    'a body over the limit',
    { method: 'POST', url: '/echo', headers: json, payload: JSON.stringify('x'.repeat(1024)) },
    413,
  ],
  [
    'a body that is shorter than it says',
    { method: 'POST', url: '/echo', headers: { ...json, 'content-length': '10' }, payload: '{}' },
    400,
  ],
]

for (const [what, request, status] of refusals)
  test(`${what} is refused with ${status}, as a problem`, async () => {
    const { server } = plainServer()
    server.post('/echo', open, (incoming) => incoming.body)
    const response = await server.inject(request)
    assert.equal(response.statusCode, status, response.payload)
    assert.equal(response.headers['content-type'], 'application/problem+json')
    assert.equal(response.json().request_id, response.headers['x-request-id'])
  })

test('a wrong method is answered with the methods that the path takes', async () => {
  const { server } = plainServer()
  server.get('/things/:id', open, () => 'ok')
  server.delete('/things/:id', open, () => 'ok')
  server.post('/others', open, () => 'ok')
  const response = await server.inject({ method: 'POST', url: '/things/7?x=/others' })
  assert.equal(response.statusCode, 405)
  assert.equal(response.headers.allow, 'DELETE, GET, HEAD')
})

test('an oversized body is told the limit of its own route', async () => {
  const { server } = plainServer()
  server.post('/small', { ...open, bodyLimit: 10 }, () => 'ok')
  const response = await server.inject({ method: 'POST', url: '/small', payload: { text: 'more than ten' } })
  assert.match(response.json().detail, /at most 10 bytes/)
})

test('a field that its schema refuses is named', async () => {
  const { server } = plainServer()
  const schema = { body: { type: 'object', required: ['size'], properties: { size: { type: 'integer' } } } }
  server.post('/', { ...open, schema }, () => 'ok')
  const wrong = await server.inject({ method: 'POST', url: '/', payload: { size: 'large' } })
  const missing = await server.inject({ method: 'POST', url: '/', payload: {} })
  assert.deepEqual([wrong.statusCode, wrong.json().field], [400, 'size'])
  assert.deepEqual([missing.statusCode, missing.json().field], [400, 'size'])
})

test('a value of the wrong kind is refused, not converted, and a field that is not allowed is not dropped', async () => {
  const { server } = plainServer()
  const schema = {
    body: { type: 'object', properties: { size: { type: 'integer' } }, additionalProperties: false },
  }
  server.post('/', { ...open, schema }, ({ body }) => body)
  for (const payload of [{ size: '7' }, { size: 7, sise: 8 }])
    assert.equal((await server.inject({ method: 'POST', url: '/', payload })).statusCode, 400)
})

test('every answer forbids sniffing and caching and carries the id of its request', async () => {
  const { server } = plainServer()
  server.get('/', open, () => 'ok')
  for (const url of ['/', '/nowhere', '/%zz']) {
    const { headers } = await server.inject(url)
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(headers['cache-control'], 'no-store')
    assert.match(String(headers['x-request-id']), /^[a-z0-9-]{10,64}$/)
    assert.equal(headers['x-powered-by'], undefined)
    assert.equal(headers.server, undefined)
  }
})

test('a handler may allow caching', async () => {
  const { server } = plainServer()
  server.get('/', open, (_request, reply) => reply.header('cache-control', 'public, max-age=60').send('ok'))
  assert.equal((await server.inject('/')).headers['cache-control'], 'public, max-age=60')
})

test('forwarding headers of a caller are not believed', async () => {
  const { server } = plainServer()
  server.get('/', open, (request) => [request.ip, request.host, request.protocol])
  const headers = {
    'x-forwarded-for': '6.6.6.6',
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'https',
  }
  assert.deepEqual((await server.inject({ url: '/', headers })).json(), ['127.0.0.1', 'localhost:80', 'http'])
})

test('HEAD answers as GET does, without the body', async () => {
  const { server } = plainServer()
  server.get('/', open, () => 'four')
  const response = await server.inject({ method: 'HEAD', url: '/' })
  assert.deepEqual(
    [response.statusCode, response.headers['content-length'], response.payload],
    [200, '4', ''],
  )
})
