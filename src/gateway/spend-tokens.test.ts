import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Decision } from '../auth/decision.ts'
import { spendTokens } from './spend-tokens.ts'

const principal: Decision['principal'] = {
  issuer: 'https://login.example',
  subject: 'ann',
  clientId: undefined,
  scopes: new Set(),
  expiresAt: 0,
  credential: { kind: 'jwt', id: 'a' },
  dpopKeyThumbprint: undefined,
}

const decision: Decision = {
  time: 0,
  surface: 'models',
  principal,
  action: 'generateContent',
  target: 'tiny',
  needed: [],
  held: [],
  outcome: 'allow',
  reason: 'ok',
  status: 200,
  durationMs: 1,
  requestId: 'r',
  revision: 'v1beta',
  tokensIn: 3,
  tokensOut: 4,
}

test('what a model read and wrote is charged to its caller, and the decision goes on', async () => {
  const spent: unknown[][] = []
  const seen: Decision[] = []
  const kept = Promise.resolve()
  const hook = spendTokens({ spend: (...charge) => spent.push(charge) }, (told) => {
    seen.push(told)
    return kept
  })
  assert.equal(hook(decision), kept)
  assert.deepEqual(spent, [[principal, { kind: 'model', name: 'tiny' }, 7]])
  void hook({ ...decision, surface: 'tools' })
  void hook({ ...decision, principal: undefined })
  void hook({ ...decision, target: undefined })
  assert.equal(spent.length, 1)
  assert.equal(seen.length, 4)
})

test('where a model did not say what it used, the guess is charged', () => {
  const spent: unknown[] = []
  const hook = spendTokens({ spend: (...[, , tokens]) => spent.push(tokens) }, () => undefined)
  void hook({ ...decision, tokensGuessed: 30_000 })
  assert.deepEqual(spent, [30_000])
})
