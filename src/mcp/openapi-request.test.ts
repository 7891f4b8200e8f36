import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readOpenApi } from './openapi-document.ts'
import { type Operation, readOperations } from './openapi-operation.ts'
import { buildRequest } from './openapi-request.ts'

/** An operation as the reader would never let it pass: its path is not made of plain characters. */
function unchecked(...literals: readonly string[]): Operation {
  return {
    id: 'a',
    method: 'get',
    literals,
    names: [],
    parameters: [],
    body: undefined,
    summary: undefined,
    description: undefined,
  }
}

for (const path of [
  '\\\\evil.example',
  '?a=1',
  '#a',
  '@evil.example',
  '.evil.example',
  '/a b',
  '/a/../b',
  '/%2e%2e/b',
  '/\u00e9',
  '',
]) {
  test(`the finished URL is what was written and lies below the base, or nothing is sent: ${JSON.stringify(path)}`, () => {
    assert.throws(() => buildRequest(unchecked(path), new URL('https://api.example'), {}), {
      code: 'invalid-request',
    })
  })
}

test('the path of the base stays in front, with or without a slash at its end', () => {
  const urls = ['https://api.example', 'https://api.example/v2', 'https://api.example/v2/'].map(
    (base) => buildRequest(unchecked('/a'), new URL(base), {}).url,
  )
  assert.deepEqual(urls, ['https://api.example/a', 'https://api.example/v2/a', 'https://api.example/v2/a'])
})

const left: readonly (readonly [string, Record<string, unknown>])[] = [
  ['a path with other characters', { '/a?b': { get: { operationId: 'a' } } }],
  ['a path that does not begin with a slash', { a: { get: { operationId: 'a' } } }],
  ['a placeholder without a parameter', { '/{a}': { get: { operationId: 'a' } } }],
  [
    'a parameter without a placeholder',
    { '/a': { get: { operationId: 'a', parameters: [{ name: 'x', in: 'path', required: true }] } } },
  ],
  [
    'a parameter in an unknown place',
    { '/a': { get: { operationId: 'a', parameters: [{ name: 'x', in: 'body' }] } } },
  ],
  [
    'a parameter in another style',
    { '/a': { get: { operationId: 'a', parameters: [{ name: 'x', in: 'query', style: 'pipeDelimited' }] } } },
  ],
  [
    'a header that cannot be one',
    { '/a': { get: { operationId: 'a', parameters: [{ name: 'x\r\ny', in: 'header' }] } } },
  ],
  [
    'a body that must be something else than JSON',
    { '/a': { post: { operationId: 'a', requestBody: { required: true, content: { 'text/csv': {} } } } } },
  ],
]

for (const [what, paths] of left) {
  test(`an operation is left out, with a reason, for ${what}`, () => {
    const document = readOpenApi(JSON.stringify({ openapi: '3.1.0', paths }))
    const read = readOperations(document, 'authorization')
    assert.equal(read.operations.length, 0)
    assert.equal(read.left.length, 1)
  })
}

test('a parameter described by content is sent as JSON', () => {
  const parameters = [
    { name: 'f', in: 'query', content: { 'application/json': { schema: { type: 'object' } } } },
  ]
  const paths = { '/a': { get: { operationId: 'a', parameters } } }
  const [operation] = readOperations(readOpenApi(JSON.stringify({ openapi: '3.1.0', paths })), 'x').operations
  assert.ok(operation !== undefined)
  const { url } = buildRequest(operation, new URL('https://api.example'), { f: { a: [1] } })
  assert.equal(url, 'https://api.example/a?f=%7B%22a%22%3A%5B1%5D%7D')
})

test('an exploded object cannot bring the name of another parameter along', () => {
  const parameters = [
    { name: 'tenant', in: 'query', required: true, schema: { enum: ['ours'] } },
    { name: 'filter', in: 'query', schema: { type: 'object' } },
    { name: 'session', in: 'cookie', schema: { type: 'string' } },
    { name: 'wishes', in: 'cookie', schema: { type: 'object' } },
  ]
  const paths = { '/a': { get: { operationId: 'a', parameters } } }
  const [operation] = readOperations(readOpenApi(JSON.stringify({ openapi: '3.1.0', paths })), 'x').operations
  assert.ok(operation !== undefined)
  const build = (input: Record<string, unknown>): string =>
    buildRequest(operation, new URL('https://api.example'), { tenant: 'ours', ...input }).url
  assert.equal(build({ filter: { color: 'red' } }), 'https://api.example/a?tenant=ours&color=red')
  assert.throws(() => build({ filter: { tenant: 'theirs' } }), { code: 'invalid-request', field: 'filter' })
  assert.throws(() => build({ wishes: { session: 'x' } }), { code: 'invalid-request', field: 'wishes' })
})

test('an integer that may have been another one in its text is refused, wherever it stands', () => {
  const paths = {
    '/orders/{id}': {
      post: {
        operationId: 'a',
        parameters: [
          { name: 'id', in: 'path', required: true },
          { name: 'n', in: 'query', content: { 'application/json': {} } },
        ],
        requestBody: { content: { 'application/json': {} } },
      },
    },
  }
  const document = readOpenApi(JSON.stringify({ openapi: '3.1.0', paths }))
  const [operation] = readOperations(document, 'authorization').operations
  assert.ok(operation)
  const base = new URL('https://api.example')
  const id: unknown = JSON.parse('9007199254740993')
  for (const input of [{ id }, { id: 1, n: { deep: [id] } }, { id: 1, body: { order: id } }])
    assert.throws(() => buildRequest(operation, base, input), /cannot be handed on exactly/)
  const { url, body } = buildRequest(operation, base, { id: '9007199254740993', body: { order: 1.5e300 } })
  assert.deepEqual([url, body], ['https://api.example/orders/9007199254740993', '{"order":1.5e+300}'])
})
