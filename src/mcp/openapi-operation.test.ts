import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readOpenApi } from './openapi-document.ts'
import { readOperations } from './openapi-operation.ts'

function read(paths: unknown): ReturnType<typeof readOperations> {
  return readOperations(readOpenApi(JSON.stringify({ openapi: '3.1.0', paths })), 'authorization')
}

test('one place that cannot be read leaves the other operations their tools', () => {
  const elsewhere = { $ref: 'other.yaml#/a' }
  const body = { content: { 'application/json': { schema: elsewhere } } }
  const { operations, left } = read({
    '/a': { post: { operationId: 'a', requestBody: body }, get: { operationId: 'b' } },
    '/c': elsewhere,
  })
  assert.deepEqual(
    operations.map(({ id }) => id),
    ['b'],
  )
  assert.deepEqual(
    left.map(({ place }) => place),
    ['POST /a', '/c'],
  )
  for (const { why } of left)
    assert.match(why, /\$ref "other\.yaml#\/a": only references inside the document/)
})

test('a body of JSON may name its character set', () => {
  const content = { 'application/json; charset=utf-8': { schema: { type: 'object' } } }
  const { operations } = read({
    '/a': { post: { operationId: 'a', requestBody: { required: true, content } } },
  })
  assert.equal(operations[0]?.body?.mediaType, 'application/json; charset=utf-8')
})

test('no two parameters share a property of the input', () => {
  const parameters = [
    { in: 'header', name: 'id' },
    { in: 'query', name: 'id_query' },
    { in: 'query', name: 'id' },
  ]
  const { operations } = read({ '/a': { get: { operationId: 'a', parameters } } })
  assert.deepEqual(
    operations[0]?.parameters.map(({ property }) => property),
    ['id', 'id_query', 'id_query_query'],
  )
})
