import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../failure/failure.ts'
import { type Decision, type DecisionHook, guardHook } from './decision.ts'

const decision: Decision = {
  time: 1,
  surface: 'tools',
  principal: undefined,
  action: 'tools/call',
  target: undefined,
  needed: [],
  held: [],
  outcome: 'allow',
  reason: 'ok',
  status: 200,
  durationMs: 1,
  requestId: 'a',
  revision: '',
}

const full = new Failure('unavailable', 'the disk is full', { retryAfterSeconds: 7 })
const broken: readonly (readonly [
  what: string,
  hook: DecisionHook,
  error: Error,
  retryAfterSeconds: number,
])[] = [
  ['rejects', () => Promise.reject(full), full, 7],
  [
    'throws',
    () => {
      throw new Error('no disk')
    },
    new Error('no disk'),
    1,
  ],
]

for (const [what, hook, error, retryAfterSeconds] of broken)
  test(`a hook that ${what} breaks the promise with a failure for the caller, and is warned of`, async () => {
    const faults: unknown[] = []
    const told = guardHook(hook, (...fault) => faults.push(fault))?.(decision)
    await assert.rejects(Promise.resolve(told), (failure) => {
      assert.ok(failure instanceof Failure)
      assert.deepEqual(
        [failure.code, failure.reason, failure.retryAfterSeconds, failure.cause],
        ['unavailable', 'record_unavailable', retryAfterSeconds, error],
      )
      return true
    })
    assert.deepEqual(faults, [['a decision could not be recorded', error]])
  })

test('a hook that fails after everybody left does no harm', async () => {
  const warned = Promise.withResolvers<unknown>()
  void guardHook(
    () => Promise.reject(full),
    (_message, error) => warned.resolve(error),
  )?.(decision)
  assert.equal(await warned.promise, full)
  // An unhandled rejection would fail this test.
  await new Promise(setImmediate)
})

test('where the hook returns no promise there is nothing to wait for', () => {
  const hooks: readonly unknown[] = [() => undefined, () => 7]
  for (const hook of hooks)
    assert.equal(
      guardHook((told) => Reflect.apply(Object(hook), undefined, [told]), assert.fail)?.(decision),
      undefined,
    )
  assert.equal(guardHook(undefined, assert.fail), undefined)
})
