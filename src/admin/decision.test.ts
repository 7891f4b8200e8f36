import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Decision } from '../auth/decision.ts'
import { createReporter } from './decision.ts'
import type { AdminExchange } from './exchange.ts'

const exchange: AdminExchange = {
  operation: {
    method: 'GET',
    path: '/things',
    id: 'listThings',
    summary: 'Things',
    scope: 'things:read',
    status: 200,
    run: async () => ({ empty: true }),
  },
  startedAt: performance.now(),
  requestId: 'request-1',
  target: undefined,
  principal: undefined,
  owner: undefined,
  failure: undefined,
  isTold: false,
}

test('the time of a decision follows the clock of the machine, also when that has slept', (t) => {
  const told: Decision[] = []
  const report = createReporter((decision) => void told.push(decision), assert.fail)
  const woken = Date.now() + 3_600_000
  t.mock.method(Date, 'now', () => woken)
  void report({ ...exchange }, 200)
  assert.equal(Math.round((told[0]?.time ?? 0) / 1000), woken)
})
