import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import fc from 'fast-check'
import { mergePieces } from './merge.ts'
import { createTokenizer, type Tokenizer } from './tokenizer.ts'
import { readVocabulary, type Vocabulary } from './vocabulary.ts'
import { readStoryWeights, storyWeightsFile } from './weights.ts'

let vocabulary: Vocabulary
let tokenizer: Tokenizer

before(async () => {
  vocabulary = readVocabulary((await readStoryWeights(storyWeightsFile())).vocabulary, 32_000)
  tokenizer = createTokenizer(vocabulary)
})

const texts = (): fc.Arbitrary<string> =>
  fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom('a', 'e', 'th', ' ', '  ', '\n', 'ing', 'é', '😀', '<s>') }),
  )

test('a text has the ids of the reference tokenizer', () => {
  assert.deepEqual(
    tokenizer.encode('I believe the meaning of life is'),
    [1, 306, 4658, 278, 6593, 310, 2834, 338],
  )
  assert.deepEqual(
    tokenizer.encode('Simply put, the theory of relativity states that '),
    [1, 3439, 17632, 1925, 29892, 278, 6368, 310, 14215, 537, 5922, 393, 29871],
  )
  assert.deepEqual(tokenizer.encode('Once upon a time'), [1, 9038, 2501, 263, 931])
  assert.deepEqual(tokenizer.encode(''), [1])
})

test('decoding what was encoded gives the same text', () => {
  fc.assert(fc.property(texts(), (text) => assert.equal(tokenizer.decode(tokenizer.encode(text)), text)))
})

test('marks that are spelled out are text', () => {
  const ids = tokenizer.encode('<s></s><unk><0x0A>\n<s>\n')
  assert.ok(ids.slice(1).every((id) => id > 2))
  assert.equal(tokenizer.decode(ids), '<s></s><unk><0x0A>\n<s>\n')
})

test('merging word by word is merging the whole text', () => {
  fc.assert(
    fc.property(texts(), (text) =>
      assert.deepEqual(tokenizer.encodeMore(text), mergePieces(text, vocabulary)),
    ),
  )
})

test('merging takes the best pair again and again, the left one among equals', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('t', 'h', 'e', 'r', 'i', 'n', ' '), maxLength: 16 }),
      (text) => assert.deepEqual(mergePieces(text, vocabulary), mergedSlowly(text)),
    ),
  )
})

test('counting in steps gives the number of ids', () => {
  fc.assert(
    fc.property(texts(), (text) => {
      const steps = tokenizer.count(text, 4)
      let step = steps.next()
      while (step.done !== true) step = steps.next()
      assert.equal(step.value, tokenizer.encode(text).length)
    }),
  )
})

test('a long text is counted in many steps, and one endless word is no trap', () => {
  const steps = tokenizer.count('abc '.repeat(1000), 100)
  assert.equal(steps.next().done, false)
  assert.equal(tokenizer.decode(tokenizer.encode('ab😀'.repeat(5000))), 'ab😀'.repeat(5000))
})

function mergedSlowly(text: string): readonly number[] {
  const ids = Array.from(text, (character) => vocabulary.idOf.get(character) ?? 0)
  const score = (at: number): number => {
    const merged = vocabulary.idOf.get(
      `${vocabulary.texts[ids[at] ?? 0]}${vocabulary.texts[ids[at + 1] ?? 0]}`,
    )
    return merged === undefined ? Number.NEGATIVE_INFINITY : (vocabulary.scores[merged] ?? 0)
  }
  for (;;) {
    const scores = ids.slice(1).map((_, at) => score(at))
    const best = Math.max(...scores)
    if (best === Number.NEGATIVE_INFINITY) return ids
    const at = scores.indexOf(best)
    const merged = `${vocabulary.texts[ids[at] ?? 0]}${vocabulary.texts[ids[at + 1] ?? 0]}`
    ids.splice(at, 2, vocabulary.idOf.get(merged) ?? 0)
  }
}
