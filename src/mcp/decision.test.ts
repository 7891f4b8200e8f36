import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Decision } from '../auth/decision.ts'
import { createCallers } from './callers.ts'
import { createReporter } from './decision.ts'
import { newExchange } from './exchange.ts'

test('a hook that rejects is warned of, and nothing else happens', async () => {
  const faults: unknown[] = []
  const hook = (): unknown => Promise.reject(new Error('no disk'))
  const report = createReporter({
    onDecision: hook,
    callers: createCallers(1),
    warn: (...fault) => faults.push(fault),
  })
  report(newExchange('a'), 200)
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(faults, [['the hook for decisions failed', new Error('no disk')]])
})

test('what a caller sent as method and revision is kept in a decision up to a bound', () => {
  const told: Decision[] = []
  const report = createReporter({
    onDecision: (decision) => told.push(decision),
    callers: createCallers(1),
    warn: assert.fail,
  })
  const exchange = newExchange('a')
  exchange.method = 'm'.repeat(1_000_000)
  exchange.revision = 'r'.repeat(16_000)
  report(exchange, 200)
  assert.deepEqual([told[0]?.action.length, told[0]?.revision.length], [128, 128])
})
