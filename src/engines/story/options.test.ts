import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../../failure/failure.ts'
import type { GenerationConfig } from '../content.ts'
import { optionsOf } from './options.ts'

test('a request that says nothing gets the defaults and a seed of its own', () => {
  assert.deepEqual(
    optionsOf({}, () => 42),
    {
      candidateCount: 1,
      maxOutputTokens: 255,
      seed: 42,
      stopSequences: [],
      rules: { temperature: 1, topP: 0.9, topK: 0, presencePenalty: 0, frequencyPenalty: 0 },
    },
  )
})

test('what is said is used as it is', () => {
  const config = {
    candidateCount: 8,
    maxOutputTokens: 65_536,
    seed: -1,
    stopSequences: ['.'],
    temperature: 0,
    topP: 0,
    topK: 64,
    presencePenalty: -2,
    frequencyPenalty: 1.5,
  }
  const { candidateCount, maxOutputTokens, seed, stopSequences, ...rules } = config
  assert.deepEqual(
    optionsOf(config, () => 0),
    { candidateCount, maxOutputTokens, seed, stopSequences, rules },
  )
})

const refused: readonly GenerationConfig[] = [
  { candidateCount: 0 },
  { candidateCount: 9 },
  { maxOutputTokens: 0 },
  { maxOutputTokens: 1.5 },
  { seed: 2 ** 31 },
  { topK: 0 },
  { topP: 1.1 },
  { temperature: 2.1 },
  { temperature: Number.NaN },
  { presencePenalty: -2.1 },
  { frequencyPenalty: 3 },
  { stopSequences: [''] },
  { stopSequences: ['1', '2', '3', '4', '5', '6'] },
]

for (const config of refused)
  test(`${JSON.stringify(config)} is refused by name`, () => {
    const [name = ''] = Object.keys(config)
    assert.throws(
      () => optionsOf(config, () => 0),
      (error) =>
        error instanceof Failure && error.field === `GenerateContentRequest.generationConfig.${name}`,
    )
  })
