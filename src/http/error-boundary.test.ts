import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import type { FastifyReply } from 'fastify'
import { open, plainServer } from '../../test/serving/plain-server.ts'
import { Failure } from '../failure/failure.ts'
import { type ErrorRenderer, useErrorRenderer } from './error-boundary.ts'

const inPlainText: ErrorRenderer = (failure, request) => ({
  status: 418,
  type: 'text/x-surface',
  body: `${failure.code} ${request.id}`,
})

test('an unknown error is a 500 without its message, stack or path', async () => {
  const { server } = plainServer()
  server.get('/', open, () => {
    throw new TypeError('cannot read /etc/postern/key.pem')
  })
  const response = await server.inject('/')
  assert.equal(response.statusCode, 500)
  assert.doesNotMatch(response.payload, /TypeError|key\.pem|\.ts|at /)
})

test('an unknown error is logged with its cause under the id of the request', async () => {
  const { server, lines } = plainServer()
  server.get('/', open, async () => {
    throw new TypeError('the cause')
  })
  const response = await server.inject('/')
  const line = lines.find(({ level }) => level === 'error')
  assert.equal(line?.request_id, response.headers['x-request-id'])
  assert.match(JSON.stringify(line?.err), /the cause/)
})

for (const thrown of ['a string', undefined, null, Number.NaN, { statusCode: 200, message: 'an object' }])
  test(`a handler that throws ${JSON.stringify(thrown)} is answered with a 500`, async () => {
    const { server } = plainServer()
    server.get('/', open, async () => {
      throw thrown
    })
    const response = await server.inject('/')
    assert.equal(response.statusCode, 500)
    assert.doesNotMatch(response.payload, /a string|an object|NaN/)
  })

test('the cause of a refusal is logged but not answered', async () => {
  const { server, lines } = plainServer()
  server.get('/', open, () => {
    throw new Failure('unavailable', 'try again', { cause: new Error('connect ECONNREFUSED 10.0.0.7:5432') })
  })
  const response = await server.inject('/')
  assert.equal(response.statusCode, 503)
  assert.equal(response.json().detail, 'try again')
  assert.doesNotMatch(response.payload, /10\.0\.0\.7/)
  assert.match(JSON.stringify(lines), /10\.0\.0\.7/)
})

test('an upstream that resets its connection is our failure, not a bad request', async () => {
  const { server } = plainServer()
  server.get('/', open, () => {
    throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
  })
  assert.equal((await server.inject('/')).statusCode, 500)
})

test('an error is never cached, whatever the handler said before it failed', async () => {
  const { server } = plainServer()
  server.get('/', open, (_request, reply) => {
    reply.header('cache-control', 'public, max-age=3600')
    throw new Failure('not-found', 'gone')
  })
  assert.equal((await server.inject('/')).headers['cache-control'], 'no-store')
})

test('an error does not carry the headers of the answer that failed, only those that belong to errors', async () => {
  const { server } = plainServer()
  server.get('/', open, (_request, reply) => {
    reply.headers({ 'content-encoding': 'gzip', etag: '"1"', link: '</2>; rel="next"', 'set-cookie': 'a=b' })
    reply.headers({ 'www-authenticate': 'Bearer', 'retry-after': '7', vary: 'origin' })
    throw new Failure('unauthenticated', 'who is there?')
  })
  const { statusCode, headers } = await server.inject('/')
  assert.equal(statusCode, 401)
  assert.deepEqual(Object.keys(headers).toSorted(), [
    'cache-control',
    'connection',
    'content-length',
    'content-type',
    'date',
    'retry-after',
    'vary',
    'www-authenticate',
    'x-content-type-options',
    'x-request-id',
  ])
})

for (const name of ['x-note', 'www-authenticate'])
  for (const [what, finish] of [
    ['a text', (reply: FastifyReply) => reply.send('fine')],
    ['a stream', (reply: FastifyReply) => reply.send(Readable.from(['fine']))],
    ['a failure', () => Promise.reject(new Failure('conflict', 'no'))],
  ] as const)
    test(`a line feed in the header ${name} of ${what} does not get past the error boundary`, async () => {
      const { server, lines } = plainServer()
      server.get('/', open, async (_request, reply) => finish(reply.header(name, 'a\nb')))
      const response = await server.inject('/')
      const isDropped = what === 'a failure' && name === 'x-note'
      assert.equal(response.statusCode, isDropped ? 409 : 500)
      assert.equal(response.headers['content-type'], 'application/problem+json')
      assert.equal(response.headers[name], undefined)
      assert.equal(response.json().request_id, response.headers['x-request-id'])
      assert.equal(lines.filter(({ level }) => level === 'error').length, isDropped ? 0 : 1)
    })

test('a surface renders the failures of its own routes, and only those', async () => {
  const { server } = plainServer()
  const fail = (): never => {
    throw new Failure('conflict', 'no')
  }
  server.register(async (scope) => {
    useErrorRenderer(scope, inPlainText)
    scope.get('/inside', open, fail)
  })
  server.get('/outside', open, fail)
  const inside = await server.inject({ url: '/inside', headers: { 'x-request-id': 'id-1' } })
  const outside = await server.inject('/outside')
  assert.deepEqual(
    [inside.statusCode, inside.headers['content-type'], inside.payload],
    [418, 'text/x-surface', 'conflict id-1'],
  )
  assert.equal(outside.headers['content-type'], 'application/problem+json')
})

test('below its own prefix a surface also renders unknown paths, wrong methods and bad bodies', async () => {
  const { server } = plainServer()
  server.register(
    async (scope) => {
      useErrorRenderer(scope, inPlainText)
      scope.post('/known', open, () => 'ok')
    },
    { prefix: '/surface' },
  )
  const headers = { 'x-request-id': 'i', 'content-type': 'application/json' }
  const unknown = await server.inject({ url: '/surface/unknown', headers })
  const wrongMethod = await server.inject({ url: '/surface/known', headers })
  const badBody = await server.inject({ method: 'POST', url: '/surface/known', headers, payload: '{' })
  const elsewhere = await server.inject({ url: '/unknown', headers })
  assert.deepEqual(
    [unknown.payload, wrongMethod.payload, badBody.payload],
    ['not-found i', 'not-allowed i', 'invalid-request i'],
  )
  assert.equal(elsewhere.headers['content-type'], 'application/problem+json')
})

test('an error is held back until it is recorded', async () => {
  const { server } = plainServer()
  const recorded = Promise.withResolvers<void>()
  server.register(async (scope) => {
    useErrorRenderer(scope, (failure, request) => ({
      ...inPlainText(failure, request),
      recorded: recorded.promise,
    }))
    scope.get('/', open, () => {
      throw new Failure('conflict', 'no')
    })
  })
  let isAnswered = false
  const answer = server.inject('/').then((response) => {
    isAnswered = true
    return response
  })
  await server.inject('/elsewhere')
  assert.equal(isAnswered, false)
  recorded.resolve()
  assert.match((await answer).payload, /^conflict /)
})

test('an error that cannot be recorded is answered with that, in the words of its surface', async () => {
  const { server, lines } = plainServer()
  const unrecorded = new Failure('unavailable', 'no disk', { reason: 'record_unavailable' })
  let rendered = 0
  server.register(async (scope) => {
    useErrorRenderer(scope, (failure, request) => {
      rendered += 1
      const headers = { 'x-code': failure.code }
      const recorded = rendered === 1 ? Promise.reject(unrecorded) : undefined
      return { ...inPlainText(failure, request), headers, recorded }
    })
    scope.get('/', open, () => {
      throw new Failure('conflict', 'no', { cause: new Error('why') })
    })
  })
  const response = await server.inject('/')
  assert.match(response.payload, /^unavailable /)
  assert.equal(response.headers['x-code'], 'unavailable')
  assert.equal(rendered, 2)
  assert.equal(lines.filter(({ level }) => level === 'error').length, 0)
})

test('an outage that is told once for many calls is not logged for each of them', async () => {
  const { server, lines } = plainServer()
  server.get('/', open, () => {
    throw new Failure('unavailable', 'limits cannot be counted', { reason: 'limits_unavailable' })
  })
  assert.equal((await server.inject('/')).statusCode, 503)
  assert.equal(lines.filter(({ level }) => level === 'error').length, 0)
})

test('an answer may bring headers of its own', async () => {
  const { server } = plainServer()
  server.register(async (scope) => {
    useErrorRenderer(scope, (failure, request) => ({
      ...inPlainText(failure, request),
      headers: { 'www-authenticate': ['Bearer', 'DPoP'] },
    }))
    scope.get('/', open, () => {
      throw new Failure('unauthenticated', 'no token')
    })
  })
  const response = await server.inject('/')
  assert.deepEqual(response.headers['www-authenticate'], ['Bearer', 'DPoP'])
})
