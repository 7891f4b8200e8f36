import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readCheckpoint } from './checkpoint.ts'
import { createTransformer, type Transformer } from './transformer.ts'
import { readStoryWeights, storyWeightsFile } from './weights.ts'

const { checkpoint, arena } = await readStoryWeights(storyWeightsFile())
const transformer = createTransformer(readCheckpoint(checkpoint), arena)
const onceUponATime = [1, 9038, 2501, 263, 931]
/** ", there was a little girl named Lily. She loved to play outside in the sunshine"; recorded. */
const known = [
  29892, 727, 471, 263, 2217, 7826, 4257, 365, 2354, 29889, 2296, 18012, 304, 1708, 5377, 297, 278, 6575, 845,
  457,
]

function goOn(model: Transformer, prompt: readonly number[], count: number): readonly number[] {
  const cache = model.createCache()
  const ids = [...prompt]
  for (const [place, id] of prompt.slice(0, -1).entries()) model.read(cache, id, place)
  for (let place = prompt.length - 1; ids.length < prompt.length + count; place += 1) {
    model.read(cache, ids[place] ?? 0, place)
    const logits = model.rate()
    ids.push(logits.indexOf(Math.max(...logits.subarray(0, 16_000), ...logits.subarray(16_000))))
  }
  return ids.slice(prompt.length)
}

test('the best tokens after "Once upon a time" are the recorded ones', () => {
  assert.deepEqual(goOn(transformer, onceUponATime, known.length), known)
})

test('two caches do not disturb each other', () => {
  const [one, other] = [transformer.createCache(), transformer.createCache()]
  onceUponATime.forEach((id, place) => {
    transformer.read(one, id, place)
    transformer.read(other, 5000 + id, place)
  })
  transformer.read(one, known[0] ?? 0, onceUponATime.length)
  const logits = transformer.rate()
  assert.equal(logits.indexOf(Math.max(...logits.subarray(0, 16_000))), known[1])
})
