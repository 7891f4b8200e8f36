import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import fc from 'fast-check'
import { writeJson } from './json.ts'
import type { SchemaNode } from './schema-node.ts'
import type { Desk, Script } from './script.ts'
import { writeChoice } from './script.ts'
import { tokenRoles } from './token-roles.ts'
import { createTokenizer, type Tokenizer } from './tokenizer.ts'
import { readVocabulary, type Vocabulary } from './vocabulary.ts'
import { readStoryWeights, storyWeightsFile } from './weights.ts'

let vocabulary: Vocabulary
let tokenizer: Tokenizer
let roles: Desk['roles']

before(async () => {
  vocabulary = readVocabulary((await readStoryWeights(storyWeightsFile())).vocabulary, 32_000)
  tokenizer = createTokenizer(vocabulary)
  roles = tokenRoles(vocabulary)
})

const nodes = fc.letrec<{ node: SchemaNode }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    fc.record({ kind: fc.constant('string'), least: fc.nat(2), most: fc.integer({ min: 2, max: 40 }) }),
    fc.record({
      kind: fc.constant('number'),
      isInteger: fc.boolean(),
      least: fc.nat(150),
      most: fc.integer({ min: 150, max: 1200 }),
    }),
    fc.record({
      kind: fc.constant('number'),
      isInteger: fc.boolean(),
      least: fc.constant(-120),
      most: fc.constant(-7),
    }),
    fc.record({
      kind: fc.constant('choice'),
      texts: fc.constantFrom(['true', 'false'], ['"a"', '"ab"', 'null'], ['1', '12', '120']),
    }),
    fc.record({
      kind: fc.constant('array'),
      items: tie('node'),
      least: fc.nat(2),
      most: fc.integer({ min: 2, max: 3 }),
    }),
    fc.record({
      kind: fc.constant('object'),
      properties: fc.uniqueArray(
        fc.record({ name: fc.string({ maxLength: 5 }), isRequired: fc.boolean(), node: tie('node') }),
        { maxLength: 3, selector: ({ name }) => name },
      ),
    }),
  ),
})).node

/** A model that has no idea: any allowed token is as good as another. */
function writeAnything(
  script: (desk: Desk) => Script<unknown>,
  seed: number,
  room: number,
): { text: string; left: number } {
  const ids: number[] = []
  const run = script({ roles, encode: tokenizer.encodeMore, left: () => room - ids.length })
  let state = seed
  let demand = run.next(0)
  while (demand.done !== true) {
    if (demand.value.kind === 'put') ids.push(...demand.value.tokens)
    state = (state * 48_271 + 11) % 2_147_483_647
    demand = run.next(demand.value.kind === 'put' ? 0 : anyToken(demand.value.isAllowed, state))
  }
  return { text: tokenizer.decode([1, ...ids]), left: room - ids.length }
}

function anyToken(isAllowed: ((token: number) => boolean) | undefined, state: number): number {
  for (let step = 0; step < vocabulary.size; step += 1) {
    const token = (state + step) % vocabulary.size
    if (isAllowed?.(token) !== false) return token
  }
  return assert.fail('no token is allowed')
}

test('whatever the model picks, the text is JSON of the schema', () => {
  fc.assert(
    fc.property(nodes, fc.nat(), (node, seed) => {
      const { text } = writeAnything((desk) => writeJson(node, { ...desk, owed: 0 }), seed, 2000)
      assertFits(JSON.parse(text), node)
    }),
    { numRuns: 150 },
  )
})

test('a text that is short of room closes in time', () => {
  const text = { kind: 'string', least: 0, most: 10_000 } as const
  const property = (name: string): { name: string; isRequired: boolean; node: SchemaNode } => ({
    name,
    isRequired: true,
    node: text,
  })
  const node: SchemaNode = { kind: 'object', properties: [property('a'), property('b'), property('c')] }
  for (let seed = 1; seed < 40; seed += 1) {
    const written = writeAnything((desk) => writeJson(node, { ...desk, owed: 0 }), seed, 40)
    assertFits(JSON.parse(written.text), node)
    assert.ok(written.left >= 0, written.text)
  }
})

test('what need not be there is left out when there is no room for it', () => {
  const node: SchemaNode = {
    kind: 'object',
    properties: [
      { name: 'must', isRequired: true, node: { kind: 'choice', texts: ['1'] } },
      { name: 'may', isRequired: false, node: { kind: 'choice', texts: ['2'] } },
    ],
  }
  const write = (room: number): string =>
    writeAnything((desk) => writeJson(node, { ...desk, owed: 0 }), 1, room).text
  assert.equal(write(12), '{"must": 1}')
  assert.equal(write(60), '{"must": 1, "may": 2}')
})

test('every text of a choice can be picked, also one that begins another', () => {
  const texts = ['1', '12', 'red', 'reddish']
  for (const wanted of texts) {
    const ids: number[] = []
    const comma = vocabulary.idOf.get(',') ?? 0
    const script = writeChoice(texts, { roles, encode: tokenizer.encodeMore, left: () => 99 })
    let demand = script.next(0)
    while (demand.done !== true) {
      if (demand.value.kind === 'put') ids.push(...demand.value.tokens)
      const next = tokenizer.encodeMore(wanted)[ids.length] ?? comma
      if (demand.value.kind === 'pick') assert.equal(demand.value.isAllowed?.(next), true)
      demand = script.next(next)
    }
    assert.equal(demand.value, wanted)
    assert.equal(tokenizer.decode([1, ...ids]), wanted)
  }
})

test('a choice may be among more texts than a function takes arguments', () => {
  const texts = Array.from({ length: 200_000 }, (_, index) => String(index))
  const node: SchemaNode = { kind: 'array', items: { kind: 'choice', texts }, least: 1, most: 1 }
  const { text } = writeAnything((desk) => writeJson(node, { ...desk, owed: 0 }), 1, 40)
  assert.match(text, /^\[\d+\]$/)
})

function assertFits(value: unknown, node: SchemaNode): void {
  if (node.kind === 'choice') assert.ok(node.texts.includes(JSON.stringify(value)))
  else if (node.kind === 'number') {
    assert.ok(typeof value === 'number' && value >= node.least && value <= node.most, String(value))
    assert.ok(!node.isInteger || Number.isInteger(value))
  } else if (node.kind === 'string') {
    assert.ok(typeof value === 'string')
    const { length } = Array.from(value)
    assert.ok(length >= node.least && length <= node.most, value)
  } else if (node.kind === 'array') {
    assert.ok(Array.isArray(value) && value.length >= node.least && value.length <= node.most)
    for (const item of value) assertFits(item, node.items)
  } else {
    assert.ok(typeof value === 'object' && value !== null)
    const entries = new Map<string, unknown>(Object.entries(value))
    for (const property of node.properties) {
      assert.ok(entries.has(property.name) || !property.isRequired)
      if (entries.has(property.name)) assertFits(entries.get(property.name), property.node)
      entries.delete(property.name)
    }
    assert.equal(entries.size, 0)
  }
}
