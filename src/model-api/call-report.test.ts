import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWordEngine } from '../../test/model-api/word-engine.ts'
import type { Decision } from '../auth/decision.ts'
import { Failure } from '../failure/failure.ts'
import { createCallReporter } from './call-report.ts'
import type { ModelCall } from './model-call.ts'

function callWith(more: Partial<ModelCall> = {}): ModelCall {
  return {
    requestId: 'req-1',
    startedAt: performance.now(),
    version: 'v1beta',
    operation: 'generateContent',
    resource: 'models/tiny',
    name: 'tiny',
    framing: 'whole',
    from: () => ({ address: '127.0.0.1', addressDoubt: undefined }),
    scopes: ['a', 'b'],
    caller: undefined,
    model: undefined,
    failure: undefined,
    tokensIn: undefined,
    tokensOut: undefined,
    tokensGuessed: undefined,
    isTold: false,
    ...more,
  }
}

function told(call: ModelCall, ...statuses: readonly number[]): readonly Decision[] {
  const decisions: Decision[] = []
  const report = createCallReporter((decision) => void decisions.push(decision), assert.fail)
  for (const status of statuses) void report(call, status)
  return decisions
}

test('a decision is told once, however often the call is reported', () => {
  const decisions = told(callWith(), 200, 499)
  assert.deepEqual(
    decisions.map(({ status }) => status),
    [200],
  )
})

test('a decision says who may do what to which model', () => {
  const principal = {
    issuer: 'i',
    subject: 's',
    clientId: undefined,
    scopes: new Set(['b', 'c']),
    expiresAt: 0,
    credential: { kind: 'api-key', id: 'k' },
    dpopKeyThumbprint: undefined,
  } as const
  const call = callWith({ caller: { principal, models: undefined }, tokensIn: 7, tokensOut: 0 })
  const [decision] = told(call, 200)
  const { time, durationMs, ...rest } = decision ?? {}
  assert.ok(Math.abs(Number(time) / 1000 - Date.now()) < 60_000)
  assert.ok(Number(durationMs) >= 0)
  assert.deepEqual(rest, {
    surface: 'models',
    principal,
    action: 'generateContent',
    target: 'tiny',
    needed: ['a', 'b'],
    held: ['b', 'c'],
    outcome: 'allow',
    reason: 'ok',
    status: 200,
    requestId: 'req-1',
    revision: 'v1beta',
    tokensIn: 7,
    tokensOut: 0,
  })
})

for (const [failure, status, outcome, reason] of [
  [undefined, 200, 'allow', 'ok'],
  [undefined, 499, 'allow', 'cancelled'],
  [new Failure('invalid-request', 'gone', { reason: 'cancelled' }), 499, 'allow', 'cancelled'],
  [new Failure('forbidden', 'no', { reason: 'model_not_allowed' }), 403, 'deny', 'model_not_allowed'],
  [new Failure('too-large', 'no'), 400, 'deny', 'too-large'],
] as const) {
  test(`${failure?.reason ?? failure?.code ?? 'nothing wrong'} with status ${status} is ${outcome}: ${reason}`, () => {
    const [decision] = told(callWith({ failure }), status)
    assert.deepEqual([decision?.outcome, decision?.reason], [outcome, reason])
  })
}

test('a model that was called by an alias has its own name in the decision', () => {
  const model = { name: 'tiny', engine: createWordEngine(), fallbacks: [] }
  const [decision] = told(callWith({ name: 'gemini-flash', model }), 200)
  assert.equal(decision?.target, 'tiny')
})

test('a call without a model and a caller names none', () => {
  const [decision] = told(callWith({ name: '' }), 403)
  assert.deepEqual([decision?.target, decision?.principal, decision?.held], [undefined, undefined, []])
  assert.equal(decision !== undefined && 'tokensIn' in decision, false)
})

test('of the words of a caller a decision keeps 256 characters', () => {
  const long = 'x'.repeat(16_000)
  const [decision] = told(callWith({ operation: long, name: long }), 404)
  assert.deepEqual([decision?.action, decision?.target], ['x'.repeat(256), 'x'.repeat(256)])
})

test('the time of a decision follows the clock of the machine, also when that has slept', (t) => {
  const decisions: Decision[] = []
  const report = createCallReporter((decision) => void decisions.push(decision), assert.fail)
  const woken = Date.now() + 3_600_000
  t.mock.method(Date, 'now', () => woken)
  void report(callWith(), 200)
  assert.equal(Math.round((decisions[0]?.time ?? 0) / 1000), woken)
})
