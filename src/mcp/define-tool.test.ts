import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from 'typebox'
import { callContext } from '../../test/mcp/tool-call.ts'
import { Failure } from '../failure/failure.ts'
import { defineTool } from './define-tool.ts'
import type { Tool } from './tool.ts'

const add = defineTool({
  name: 'add',
  title: 'Add',
  description: 'Adds two numbers.',
  scopes: ['math:use'],
  input: Type.Object({ a: Type.Number(), b: Type.Number() }, { additionalProperties: false }),
  output: Type.Object({ sum: Type.Number() }),
  annotations: { readOnlyHint: true },
  run: ({ a, b }) => ({ sum: a + b }),
})

test('the listing holds the schemas word for word, and nothing of the scopes', () => {
  assert.deepEqual(JSON.parse(JSON.stringify(add.listing)), {
    name: 'add',
    title: 'Add',
    description: 'Adds two numbers.',
    inputSchema: {
      type: 'object',
      required: ['a', 'b'],
      properties: { a: { type: 'number' }, b: { type: 'number' } },
      additionalProperties: false,
    },
    outputSchema: { type: 'object', required: ['sum'], properties: { sum: { type: 'number' } } },
    annotations: { readOnlyHint: true },
  })
})

test('a list of scopes means every one of them', () => {
  assert.deepEqual(add.needs, { allOf: ['math:use'], anyOf: [] })
})

test('what matches the output schema is sent as structured content and as text', async () => {
  assert.deepEqual(await add.call({ a: 1, b: 2 }, callContext()), {
    content: [{ type: 'text', text: '{"sum":3}' }],
    structuredContent: { sum: 3 },
  })
})

test('input that does not match is an error result that names what is wrong; the tool does not run', async () => {
  const { content, isError } = await add.call({ a: 'one', c: 1 }, callContext())
  assert.equal(isError, true)
  const [block] = content
  assert.ok(block?.type === 'text')
  assert.match(block.text, /^the input of add does not match its schema: /)
  assert.match(block.text, /a must be number/)
})

function answering(answer: unknown): ReturnType<typeof defineTool> {
  return defineTool({
    name: 'answering',
    description: 'Answers.',
    scopes: [],
    input: Type.Object({}),
    output: Type.Object({ sum: Type.Number() }),
    run: () => JSON.parse(JSON.stringify(answer)),
  })
}

test('an output that does not match its schema is a failure of the tool', () => {
  const wrong = [{ sum: 'three' }, { content: [] }, { content: [], structuredContent: { sum: 'three' } }]
  for (const answer of wrong)
    assert.throws(
      () => answering(answer).call({}, callContext()),
      (error) => error instanceof Failure && error.code === 'internal',
    )
})

test('a whole result passes when its structured content matches, or when it is an error', async () => {
  for (const answer of [
    { content: [], structuredContent: { sum: 3 } },
    { content: [], isError: true },
  ])
    assert.deepEqual(await answering(answer).call({}, callContext()), answer)
})

test('whatever can be awaited is awaited, and not printed', async () => {
  // Put together, because a lint rule rightly distrusts the word.
  const awaitable = ['th', 'en'].join('')
  const query: unknown = Object.fromEntries<unknown>([
    ['secret', 'insides'],
    [awaitable, (resolve: (rows: unknown) => void) => resolve({ rows: 1 })],
  ])
  const tool = defineTool({
    name: 'query',
    description: 'Answers with a query builder.',
    scopes: [],
    input: Type.Object({}),
    run: () => query,
  })
  assert.doesNotMatch(JSON.stringify(await tool.call({}, callContext())), /insides/)
})

test('a large wrong input is refused without being explained, because that could take for ever', async () => {
  const tool = defineTool({
    name: 'unique',
    description: 'Takes unique items.',
    scopes: [],
    input: Type.Object({ items: Type.Array(Type.Integer(), { uniqueItems: true }) }),
    run: () => 'ran',
  })
  const input = { items: Array.from({ length: 60_000 }, () => 1) }
  const result = await tool.call(input, callContext())
  assert.deepEqual(result.content, [{ type: 'text', text: 'the input of unique does not match its schema' }])
})

test('a text becomes a text block', async () => {
  const tool = defineTool({
    name: 'greet',
    description: 'Greets.',
    scopes: [],
    input: Type.Object({}),
    run: async () => 'hello',
  })
  assert.deepEqual(await tool.call({}, callContext()), { content: [{ type: 'text', text: 'hello' }] })
})

function returning(answer: unknown): Tool {
  return defineTool({
    name: 'any',
    description: 'Answers with anything.',
    scopes: [],
    input: Type.Object({}),
    run: () => answer,
  })
}

test('a value of which a member is named content is sent as text, unless that holds content blocks', async () => {
  for (const content of [['line 1'], [{ text: 'x' }], [null], 'line 1']) {
    const value = { title: 'A', content }
    assert.deepEqual(await returning(value).call({}, callContext()), {
      content: [{ type: 'text', text: JSON.stringify(value) }],
    })
  }
  const whole = { content: [{ type: 'text', text: 'x' }] }
  assert.deepEqual(await returning(whole).call({}, callContext()), whole)
})

test('nothing is an empty text, and what JSON cannot write is a failure of the tool', async () => {
  assert.deepEqual(await returning(undefined).call({}, callContext()), {
    content: [{ type: 'text', text: '' }],
  })
  for (const answer of [() => 1, Symbol('s'), { toJSON: () => undefined }])
    assert.throws(() => returning(answer).call({}, callContext()), /"any" returned a \w+, which is not JSON/)
})

const wrong: readonly (readonly [what: string, definition: object, complaint: RegExp])[] = [
  ['a name with a space', { name: 'two words' }, /1 to 128 letters/],
  ['an empty name', { name: '' }, /1 to 128 letters/],
  ['a name of 129 characters', { name: 'x'.repeat(129) }, /1 to 128 letters/],
  ['an input that is no object', { input: Type.String() }, /must be an object schema/],
  ['a time-out of nothing', { timeoutSeconds: 0 }, /above 0 seconds/],
  [
    'a header parameter that is a list',
    { input: Type.Object({ a: Type.Array(Type.String(), { 'x-mcp-header': 'A' }) }) },
    /must be a string, an integer or a boolean/,
  ],
]
for (const [what, definition, complaint] of wrong)
  test(`${what} is refused where the tool is defined`, () => {
    const sound = { name: 'x', description: '', scopes: [], input: Type.Object({}), run: () => '' }
    assert.throws(() => defineTool({ ...sound, ...definition }), complaint)
  })
