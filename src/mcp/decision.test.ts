import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Decision } from '../auth/decision.ts'
import { createCallers } from './callers.ts'
import { createReporter } from './decision.ts'
import { newExchange } from './exchange.ts'

test('a decision is told once, however often its request is reported', () => {
  const told: Decision[] = []
  const recorded = Promise.resolve()
  const report = createReporter({
    onDecision: (decision) => {
      told.push(decision)
      return recorded
    },
    callers: createCallers(1),
    warn: assert.fail,
  })
  const exchange = newExchange('a')
  assert.ok(report(exchange, 200) instanceof Promise)
  assert.equal(report(exchange, 503), undefined)
  assert.deepEqual(
    told.map(({ status }) => status),
    [200],
  )
})

test('what a caller sent as method and revision is kept in a decision up to a bound', () => {
  const told: Decision[] = []
  const report = createReporter({
    onDecision: (decision) => void told.push(decision),
    callers: createCallers(1),
    warn: assert.fail,
  })
  const exchange = newExchange('a')
  exchange.method = 'm'.repeat(1_000_000)
  exchange.revision = 'r'.repeat(16_000)
  void report(exchange, 200)
  assert.deepEqual([told[0]?.action.length, told[0]?.revision.length], [128, 128])
})

test('the time of a decision follows the clock of the machine, also when that has slept', (t) => {
  const told: Decision[] = []
  const report = createReporter({
    onDecision: (decision) => void told.push(decision),
    callers: createCallers(1),
    warn: assert.fail,
  })
  const woken = Date.now() + 3_600_000
  t.mock.method(Date, 'now', () => woken)
  void report(newExchange('a'), 200)
  assert.equal(Math.round((told[0]?.time ?? 0) / 1000), woken)
})
