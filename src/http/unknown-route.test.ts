import assert from 'node:assert/strict'
import { test } from 'node:test'
import { open, plainServer } from '../../test/serving/plain-server.ts'

const { server } = plainServer()
server.get('/plain', open, () => '')
server.post('/models/:model', open, () => '')
server.delete('/models/:model', open, () => '')
server.put('/files/*', open, () => '')
server.post('/odd::name.x', open, () => '')

const refused: readonly (readonly [method: 'GET' | 'PATCH', url: string, status: number, allow?: string])[] =
  [
    ['PATCH', '/plain', 405, 'GET, HEAD'],
    ['PATCH', '/plain?with=query', 405, 'GET, HEAD'],
    ['GET', '/models/tiny:generate?alt=sse', 405, 'DELETE, POST'],
    ['GET', '/models/tiny/more', 404],
    ['GET', '/models/', 404],
    ['GET', '/files/a/b%20c', 405, 'PUT'],
    ['GET', '/odd:name.x', 405, 'POST'],
    ['GET', '/odd:name-x', 404],
    ['GET', '/plain/', 404],
    ['GET', '/nowhere', 404],
  ]

for (const [method, url, status, allow] of refused)
  test(`${method} ${url} is refused with ${status}${allow === undefined ? '' : ` and the methods ${allow}`}`, async () => {
    const answer = await server.inject({ method, url })
    assert.deepEqual([answer.statusCode, answer.headers.allow], [status, allow])
  })
