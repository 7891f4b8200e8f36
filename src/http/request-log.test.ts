import assert from 'node:assert/strict'
import { test } from 'node:test'
import { open, plainServer } from '../../test/serving/plain-server.ts'
import { Failure } from '../failure/failure.ts'

test('a finished request is one debug line with method, path, status, time and id', async () => {
  const { server, lines } = plainServer()
  server.get('/things/:id', open, () => 'ok')
  const response = await server.inject({ url: '/things/7', headers: { 'x-request-id': 'r1' } })
  assert.equal(response.statusCode, 200)
  const [line, ...others] = lines
  assert.equal(others.length, 0)
  assert.deepEqual(
    [line?.level, line?.msg, line?.method, line?.path, line?.status, line?.request_id],
    ['debug', 'request', 'GET', '/things/7', 200, 'r1'],
  )
  assert.equal(typeof line?.ms, 'number')
})

test('an answer of 500 and above is a warning even where debug lines are off', async () => {
  const { server, log, lines } = plainServer()
  log.level = 'info'
  server.get('/down', open, () => {
    throw new Failure('unavailable', 'later')
  })
  server.get('/fine', open, () => 'ok')
  await server.inject('/fine')
  await server.inject('/down')
  assert.deepEqual(
    lines.map(({ level, msg }) => [level, msg]),
    [
      ['error', 'request failed'],
      ['warn', 'request'],
    ],
  )
})

test('no header, body or query of a request reaches the log', async () => {
  const { server, lines } = plainServer()
  server.post('/x', open, () => 'ok')
  const secret = 'correct-horse-battery'
  for (const url of [
    `/x?key=${secret}`,
    `/nowhere?key=${secret}`,
    `http://user:${secret}@localhost/x`,
    `/x/%zz${secret}`,
  ])
    await server.inject({
      method: 'POST',
      url,
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${secret}`,
        cookie: secret,
        'x-key': secret,
      },
      payload: { password: secret },
    })
  assert.equal(lines.length, 4)
  assert.doesNotMatch(JSON.stringify(lines), /correct-horse/)
})

test('a very long path is left out of the log, not cut: half of a secret is no longer found by its value', async () => {
  const { server, lines } = plainServer()
  await server.inject(`/${'x'.repeat(2047)}`)
  await server.inject(`/${'x'.repeat(2048)}?query`)
  assert.deepEqual(
    lines.map(({ path }) => path),
    [`/${'x'.repeat(2047)}`, '[2049 characters]'],
  )
})

test('the 503 of a probe is a debug line', async () => {
  const { server, lines } = plainServer()
  const probe = { config: { ...open.config, isProbe: true } }
  server.get('/readyz', probe, (_request, reply) => reply.code(503).send('not ready'))
  await server.inject('/readyz')
  assert.deepEqual(
    lines.map(({ level, status }) => [level, status]),
    [['debug', 503]],
  )
})
