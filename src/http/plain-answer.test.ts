import assert from 'node:assert/strict'
import { test } from 'node:test'
import { open, plainServer } from '../../test/serving/plain-server.ts'
import { sendText } from './plain-answer.ts'

test('a text goes out whole, with the headers of every answer, and is logged like any other', async () => {
  const { server, lines } = plainServer()
  server.get('/', open, (_request, reply) => {
    reply.header('x-own', 'one')
    sendText(reply, 200, '{"a":"€"}')
  })
  const response = await server.inject('/')
  assert.deepEqual([response.statusCode, response.body], [200, '{"a":"€"}'])
  assert.equal(response.headers['content-length'], '11')
  assert.equal(response.headers['content-type'], 'application/json; charset=utf-8')
  assert.equal(response.headers['x-own'], 'one')
  assert.equal(response.headers['x-content-type-options'], 'nosniff')
  assert.ok(response.headers['x-request-id'])
  assert.deepEqual(
    lines.filter(({ msg }) => msg === 'request').map(({ status }) => status),
    [200],
  )
})

test('an empty text has no content-type', async () => {
  const { server } = plainServer()
  server.get('/', open, (_request, reply) => sendText(reply, 202, ''))
  const response = await server.inject('/')
  assert.deepEqual(
    [response.statusCode, response.headers['content-type'], response.body],
    [202, undefined, ''],
  )
})
