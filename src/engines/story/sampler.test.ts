import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRandom } from './random.ts'
import { createSampler, type Draw, type SamplingRules } from './sampler.ts'

/** Probabilities 0.5, 0.25, 0.15, 0.1, and one token that can hardly be. */
const logits = Float32Array.from([0.15, 0.5, 1e-30, 0.1, 0.25], Math.log)
const sample = createSampler(logits.length)
const open: SamplingRules = { temperature: 1, topP: 1, topK: 0, presencePenalty: 0, frequencyPenalty: 0 }

function drawn(rules: Partial<SamplingRules>, more: Partial<Draw> = {}): ReadonlyMap<number, number> {
  const random = createRandom(1, 1)
  const counts = new Map<number, number>()
  for (let round = 0; round < 4000; round += 1) {
    const token = sample(logits, { rules: { ...open, ...rules }, random, written: new Map(), ...more })
    counts.set(token, (counts.get(token) ?? 0) + 1)
  }
  return counts
}

const tokens = (counts: ReadonlyMap<number, number>): readonly number[] =>
  [...counts.keys()].sort((one, other) => one - other)

test('temperature 0 takes the best token always', () => {
  assert.deepEqual(tokens(drawn({ temperature: 0 })), [1])
})

test('temperature 1 draws each token as often as it is likely', () => {
  const counts = drawn({})
  for (const [token, share] of [
    [1, 0.5],
    [4, 0.25],
    [0, 0.15],
    [3, 0.1],
  ] as const)
    assert.ok(Math.abs((counts.get(token) ?? 0) / 4000 - share) < 0.03, `token ${token}`)
})

test('a lower temperature favours the best token', () => {
  assert.ok((drawn({ temperature: 0.5 }).get(1) ?? 0) > (drawn({}).get(1) ?? 0) + 400)
})

test('topK keeps that many of the best', () => {
  assert.deepEqual(tokens(drawn({ topK: 1 })), [1])
  assert.deepEqual(tokens(drawn({ topK: 3 })), [0, 1, 4])
  assert.deepEqual(tokens(drawn({ topK: 100 })), [0, 1, 3, 4])
})

test('topP keeps the fewest tokens that hold this share, at least one', () => {
  assert.deepEqual(tokens(drawn({ topP: 0 })), [1])
  assert.deepEqual(tokens(drawn({ topP: 0.7 })), [1, 4])
  assert.deepEqual(tokens(drawn({ topP: 0.8 })), [0, 1, 4])
})

test('topP is a share of what topK left', () => {
  assert.deepEqual(tokens(drawn({ topK: 2, topP: 0.6 })), [1])
  assert.deepEqual(tokens(drawn({ topK: 2, topP: 0.7 })), [1, 4])
})

test('a presence penalty counts once, a frequency penalty each time', () => {
  const written = new Map([[1, 5]])
  assert.deepEqual(tokens(drawn({ temperature: 0, presencePenalty: 0.5 }, { written })), [1])
  assert.deepEqual(tokens(drawn({ temperature: 0, frequencyPenalty: 0.5 }, { written })), [4])
  assert.deepEqual(tokens(drawn({ temperature: 0, presencePenalty: 1 }, { written })), [4])
})

test('only what is allowed is drawn, however unlikely', () => {
  const isAllowed = (token: number): boolean => token === 2
  assert.deepEqual(tokens(drawn({}, { isAllowed })), [2])
  assert.deepEqual(tokens(drawn({ topK: 3, topP: 0.5 }, { isAllowed })), [2])
})
