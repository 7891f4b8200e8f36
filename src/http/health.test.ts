import assert from 'node:assert/strict'
import { test } from 'node:test'
import { open, plainServer } from '../../test/serving/plain-server.ts'
import { liveness, readinessHandler } from './health.ts'
import { createReadiness } from './readiness.ts'

test('liveness answers ok without asking anything', async () => {
  const { server } = plainServer()
  server.get('/healthz', open, liveness)
  const response = await server.inject('/healthz')
  assert.equal(response.statusCode, 200)
  assert.deepEqual(response.json(), { status: 'ok' })
  assert.match(String(response.headers['content-type']), /^application\/json/)
})

test('readiness is 200 with the names of the checks while all of them pass', async () => {
  const { server, log } = plainServer()
  server.get(
    '/readyz',
    open,
    readinessHandler(createReadiness({ checks: { store: async () => {} }, log }), () => false),
  )
  const response = await server.inject('/readyz')
  assert.equal(response.statusCode, 200)
  assert.deepEqual(response.json(), { status: 'ready', checks: { store: 'ok' } })
})

test('readiness is 503 and names the failed check without its inner details', async () => {
  const { server, log } = plainServer()
  const checks = { store: () => Promise.reject(new Error('password authentication failed at 10.0.0.7')) }
  server.get(
    '/readyz',
    open,
    readinessHandler(createReadiness({ checks, log }), () => false),
  )
  const response = await server.inject('/readyz')
  assert.equal(response.statusCode, 503)
  assert.deepEqual(response.json(), { status: 'not ready', checks: { store: 'failed' } })
})

test('readiness is 503 while the server stops, and the checks are left alone', async () => {
  const { server, log } = plainServer()
  let runs = 0
  const count = async (): Promise<void> => {
    runs += 1
  }
  const readiness = createReadiness({ checks: { store: count }, log })
  server.get(
    '/readyz',
    open,
    readinessHandler(readiness, () => true),
  )
  const response = await server.inject('/readyz')
  assert.equal(response.statusCode, 503)
  assert.deepEqual(response.json(), { status: 'stopping' })
  assert.equal(runs, 0)
})
