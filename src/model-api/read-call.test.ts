import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type FastifyRequest, fastify } from 'fastify'
import { createCallerAddress, type FindCallerAddress } from '../config/caller-address.ts'
import type { ModelCall } from './model-call.ts'
import { readCall } from './read-call.ts'

const callerAddress = createCallerAddress(['127.0.0.1'])

interface Sent {
  readonly version?: string
  readonly method?: string
  readonly forwardedFor?: string
  readonly find?: FindCallerAddress
}

/** What is read from a real request for this URL. */
async function callOf(
  url: string,
  { version = 'v1beta', method, forwardedFor, find = callerAddress }: Sent = {},
): Promise<ModelCall> {
  const server = fastify()
  let call: ModelCall | undefined
  server.post('/*', (request: FastifyRequest) => {
    call = readCall(request, { version, scopes: ['a', 'b'], callerAddress: find }, method)
    return {}
  })
  const headers = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor }
  await server.inject({ method: 'POST', url, headers })
  await server.close()
  assert.ok(call !== undefined, url)
  return call
}

const rows = [
  ['/v1beta/models/tiny:generateContent', 'v1beta', 'models/tiny', 'tiny', 'generateContent'],
  ['/v1/models/tiny:countTokens?key=x', 'v1', 'models/tiny', 'tiny', 'countTokens'],
  ['/v1beta1/publishers/google/models/m:predict', 'v1beta1', 'publishers/google/models/m', 'm', 'predict'],
  [
    '/v1beta1/projects/v1beta1/locations/l/publishers/google/models/m:predict',
    'v1beta1',
    'projects/v1beta1/locations/l/publishers/google/models/m',
    'm',
    'predict',
  ],
  ['/v1beta/models/a%3Ab:embedContent', 'v1beta', 'models/a:b', 'a:b', 'embedContent'],
  ['/v1beta/models/a:b:embedContent', 'v1beta', 'models/a:b', 'a:b', 'embedContent'],
  ['/v1beta/models/tiny%3AembedContent', 'v1beta', 'models/tiny', 'tiny', 'embedContent'],
  ['/v1beta/models/a%2Fb:embedContent', 'v1beta', 'models/a/b', 'a/b', 'embedContent'],
  ['/v1beta/models/%E2%98%83:embedContent', 'v1beta', 'models/☃', '☃', 'embedContent'],
  ['/v1beta/models/tiny', 'v1beta', 'models/tiny', 'tiny', ''],
  ['/v1beta/models/tiny:', 'v1beta', 'models/tiny', 'tiny', ''],
  ['/v1beta/models/:generateContent', 'v1beta', 'models/', '', 'generateContent'],
  ['/v1beta/models/m%23x:countTokens', 'v1beta', 'models/m#x', 'm#x', 'countTokens'],
] as const

for (const [url, version, resource, name, operation] of rows) {
  test(`${url} asks for ${operation === '' ? 'nothing' : operation} of ${resource}`, async () => {
    const call = await callOf(url, { version })
    assert.deepEqual(
      [call.resource, call.name, call.operation, call.version],
      [resource, name, operation, version],
    )
  })
}

test('a method that the route names leaves the path alone', async () => {
  const call = await callOf('/v1beta/models/tiny:1', { method: 'getModel' })
  assert.deepEqual([call.resource, call.name, call.operation], ['models/tiny:1', 'tiny:1', 'getModel'])
})

for (const [query, framing] of [
  ['', 'array'],
  ['?alt=sse', 'sse'],
  ['?key=x&alt=sse', 'sse'],
  ['?%61lt=%73se', 'sse'],
  ['?$alt=sse', 'sse'],
  ['?alt=json', 'array'],
  ['?$alt=json;enum-encoding=int&alt=sse', 'sse'],
] as const) {
  test(`a stream asked for with ${query === '' ? 'no query' : query} is framed as ${framing}`, async () => {
    assert.equal((await callOf(`/v1beta/models/m:streamGenerateContent${query}`)).framing, framing)
  })
}

test('what is no stream is answered whole, whatever the query asks for', async () => {
  assert.equal((await callOf('/v1beta/models/m:generateContent?alt=sse')).framing, 'whole')
})

test('a call says where it came from, and where that is in doubt', async () => {
  const known = await callOf('/v1beta/models/m:countTokens', { forwardedFor: '203.0.113.9' })
  assert.deepEqual(known.from(), { address: '203.0.113.9', addressDoubt: undefined })
  const unknown = await callOf('/v1beta/models/m:countTokens')
  assert.deepEqual(unknown.from(), { address: '127.0.0.1', addressDoubt: 'unnamed-caller' })
})

test('where a call came from is not worked out before it is asked', async () => {
  let times = 0
  const find: FindCallerAddress = (request) => {
    times += 1
    return callerAddress(request)
  }
  const call = await callOf('/v1beta/models/m:countTokens', { find })
  assert.equal(times, 0)
  call.from()
  assert.equal(times, 1)
})
