import assert from 'node:assert/strict'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { redactNames } from './redact-names.ts'

test('a request of Node is method, path and address, nothing else', () => {
  const request = Object.assign(new IncomingMessage(new Socket()), {
    method: 'POST',
    url: '/v1beta/models/tiny:generateContent?key=secret#x',
    headers: { authorization: 'Bearer x', host: 'gate.example' },
    rawHeaders: ['authorization', 'Bearer x'],
  })
  const shown = redactNames(request)
  assert.equal(JSON.stringify(shown), '{"method":"POST","path":"/v1beta/models/tiny:generateContent"}')
})

test('a request of the web, or anything that looks like one, is shown the same way', () => {
  const request = new Request('https://user.example/a/b?x=y', { headers: { cookie: 'c' }, method: 'PUT' })
  assert.equal(JSON.stringify(redactNames(request)), '{"method":"PUT","path":"/a/b"}')
  const lookalike = {
    method: 'GET',
    url: 'https://u:p@host',
    headers: {},
    id: 'req-1',
    ip: '10.0.0.1',
    extra: 'no',
  }
  assert.equal(
    JSON.stringify(redactNames({ nested: [lookalike] })),
    '{"nested":[{"method":"GET","path":"/","requestId":"req-1","remoteAddress":"10.0.0.1"}]}',
  )
})

test('a path or id of unreasonable length is left out, not cut', () => {
  const request = { method: 'GET', url: `/${'a'.repeat(5000)}`, headers: {}, id: 'i'.repeat(500) }
  assert.deepEqual(JSON.parse(JSON.stringify(redactNames(request))), {
    method: 'GET',
    path: '[5001 characters]',
    requestId: '[500 characters]',
  })
})

test('of a reply only the status is shown', () => {
  const reply = new ServerResponse(new IncomingMessage(new Socket()))
  reply.statusCode = 418
  reply.setHeader('set-cookie', 'secret')
  assert.deepEqual(redactNames({ res: reply }), { res: { statusCode: 418 } })
  assert.deepEqual(redactNames(new Response('text', { status: 201 })), { statusCode: 201 })
})
