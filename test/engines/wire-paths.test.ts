import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callModel, startModelGateway, wireModel } from './wire-gateway.ts'
import { sendPlain, startWireServer } from './wire-upstream-server.ts'

test('all addresses of a model lead to the same upstream', async (t) => {
  const server = await startWireServer(t, sendPlain)
  const gateway = await startModelGateway(t, { models: [wireModel(server.origin)] })
  for (const path of [
    '/v1beta/models/front:generateContent',
    '/v1/models/front:generateContent',
    '/v1alpha/models/front:generateContent',
    '/v1beta1/publishers/google/models/front:generateContent',
    '/v1beta1/projects/p/locations/l/publishers/google/models/front:generateContent',
    '/v1beta/models/fr%6Fnt:generateContent',
    '/v1beta/models/front%3AgenerateContent',
  ]) {
    const { status } = await callModel(gateway, { path })
    assert.equal(status, 200, path)
    assert.equal(server.requests.at(-1)?.path, '/v1beta/models/up:generateContent', path)
  }
})

test('an alias with a wildcard leads to its model, the longest one first', async (t) => {
  const one = await startWireServer(t, sendPlain)
  const two = await startWireServer(t, sendPlain)
  const gateway = await startModelGateway(t, {
    models: [wireModel(one.origin, { name: 'one' }), wireModel(two.origin, { name: 'two' })],
    aliases: { 'gemini-*': 'one', 'gemini-3*': 'two' },
  })
  await callModel(gateway, { path: '/v1beta/models/gemini-2.5-flash:generateContent' })
  await callModel(gateway, { path: '/v1beta/models/gemini-3-pro:generateContent' })
  assert.deepEqual([one.requests.length, two.requests.length], [1, 1])
  assert.deepEqual(
    gateway.decisions.map(({ target }) => target),
    ['one', 'two'],
  )
})

for (const [path, status, message] of [
  ['/v1beta/models/other:generateContent', 404, /^models\/other is not found for API version v1beta/],
  ['/v1beta/models/front:doSomething', 404, /^Method not found/],
  ['/v1beta/models/front', 404, /^Method not found/],
  ['/v1beta/models/front:predict', 404, /^models\/front is not found .* supported for predict/],
  ['/v1beta/models/other%2Ffront:generateContent', 404, /^models\/other\/front is not found/],
] as const) {
  test(`${path} is a ${status} in the form of the API`, async (t) => {
    const server = await startWireServer(t, sendPlain)
    const gateway = await startModelGateway(t, { models: [wireModel(server.origin)] })
    const answer = await callModel(gateway, { path })
    assert.equal(answer.status, status)
    assert.match(JSON.parse(answer.text).error.message, message)
    assert.deepEqual([server.requests.length, gateway.decisions.length], [0, 1])
  })
}
