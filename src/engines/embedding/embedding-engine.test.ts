import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Failure } from '../../failure/failure.ts'
import type { Embedding, EmbedInput } from '../engine.ts'
import { createTextEmbedder } from './embedding-engine.ts'

const embedder = createTextEmbedder({ model: 'tiny', waiting: 2 })
after(() => embedder.close())

const call = { signal: new AbortController().signal, requestId: 'r' }
const input = (text: string, more: Partial<EmbedInput> = {}): EmbedInput => ({
  content: { parts: [{ text }] },
  ...more,
})
const embed = async (...inputs: readonly EmbedInput[]): Promise<readonly Embedding[]> =>
  embedder.embed(inputs, call)
const likeness = (one: Embedding | undefined, other: Embedding | undefined): number =>
  (one?.values ?? []).reduce((sum, value, at) => sum + value * (other?.values[at] ?? 0), 0)
const refused = (inputs: readonly EmbedInput[], message: RegExp): Promise<void> =>
  assert.rejects(
    embed(...inputs),
    (error) => error instanceof Failure && error.code === 'invalid-request' && message.test(error.message),
  )

test('related texts are closer than unrelated ones, and tokens are counted with their marks', async () => {
  const [cat, kitten, shares] = await embed(
    input('A cat sleeps on the sofa.'),
    input('The kitten naps on a couch.'),
    input('Shares fell sharply today.'),
  )
  assert.ok(likeness(cat, kitten) > likeness(cat, shares) + 0.3)
  assert.equal(cat?.values.length, 384)
  assert.ok(Math.abs(likeness(cat, cat) - 1) < 1e-6)
  assert.equal(cat?.tokenCount, 9)
})

test('a smaller size is the beginning of the vector, at length one', async () => {
  const [whole, part] = await embed(input('A cat.'), input('A cat.', { outputDimensionality: 64 }))
  assert.equal(part?.values.length, 64)
  assert.ok(Math.abs(likeness(part, part) - 1) < 1e-6)
  const scale = (part?.values[0] ?? 0) / (whole?.values[0] ?? 1)
  assert.ok(Math.abs((part?.values[63] ?? 0) - (whole?.values[63] ?? 0) * scale) < 1e-6)
})

test('the task changes nothing, the title is read', async () => {
  const [plain, query, titled] = await embed(
    input('It purrs.'),
    input('It purrs.', { taskType: 'RETRIEVAL_QUERY' }),
    input('It purrs.', { title: 'Cats', taskType: 'RETRIEVAL_DOCUMENT' }),
  )
  assert.deepEqual(query, plain)
  assert.notDeepEqual(titled?.values, plain?.values)
})

test('the end of a text longer than a window counts too', async () => {
  const start = 'the quick fox '.repeat(85)
  const [one, other] = await embed(input(`${start} and the cat`), input(`${start} and economic crisis`))
  assert.equal(one?.tokenCount, 258 + 4)
  assert.ok(likeness(one, other) < 0.9999)
})

test('what cannot be embedded is refused by name', async () => {
  await refused([input('')], /content must not be empty/)
  await refused([input(' \n')], /content must not be empty/)
  await refused([input('\u0007')], /content must have text that can be read/)
  await refused([{ content: { parts: [{ inlineData: {} }] } }], /content\.parts\[0\] must be text/)
  await refused([input('a', { outputDimensionality: 385 })], /from 1 to 384, not 385/)
  await refused([input('a', { outputDimensionality: 0 })], /from 1 to 384/)
  await refused([input('a', { taskType: 'GUESSING' })], /taskType must be one of/)
  await refused([input('cat '.repeat(2049))], /at most 2048 tokens, not 2049/)
})

test('too many at once are refused as overload', async () => {
  const calls = [embed(input('a')), embed(input('b'))]
  await assert.rejects(
    embed(input('c')),
    (error) => error instanceof Failure && error.reason === 'overloaded',
  )
  await Promise.all(calls)
})

test('an aborted call fails with the reason, and the rest of its work is dropped', async () => {
  const abort = new AbortController()
  const texts = Array.from({ length: 50 }, () => input('cat '.repeat(2000)))
  const failing = assert.rejects(embedder.embed(texts, { ...call, signal: abort.signal }), /gone/)
  abort.abort(new Error('gone'))
  await failing
  await embedder.idle()
})
