import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callContext } from '../../test/mcp/tool-call.ts'
import type { Principal } from '../auth/principal.ts'
import { createCallers } from './callers.ts'

function principal(subject: string, issuer = 'https://a.example'): Principal {
  return { ...callContext().principal, subject, issuer }
}

test('calls are counted over all tokens of a principal', () => {
  const callers = createCallers(2)
  const [one, two] = [callers.of(principal('ann')), callers.of(principal('ann'))]
  callers.enter(one)
  callers.enter(two)
  assert.deepEqual([callers.isBusy(one), callers.isBusy(two)], [true, true])
  callers.leave(one)
  assert.deepEqual([callers.isBusy(one), callers.isBusy(two)], [false, false])
})

test('a token that was idle for a while counts with those in use since', () => {
  const callers = createCallers(1)
  const [one, two] = [callers.of(principal('ann')), callers.of(principal('ann'))]
  callers.enter(one)
  callers.leave(one)
  callers.enter(two)
  assert.equal(callers.isBusy(one), true)
  callers.leave(two)
  assert.equal(callers.isBusy(one), false)
})

test('the same subject of another issuer is another principal', () => {
  const callers = createCallers(1)
  callers.enter(callers.of(principal('ann')))
  assert.equal(callers.isBusy(callers.of(principal('ann', 'https://b.example'))), false)
})
