import assert from 'node:assert/strict'
import { test } from 'node:test'
import { legacy } from '../../test/mcp/messages.ts'
import { textModels } from '../../test/mcp/text-models.ts'
import { callTool, textOf } from '../../test/mcp/tool-call.ts'
import { serveTools } from '../../test/mcp/tool-server.ts'
import { Failure } from '../failure/failure.ts'
import { modelTools } from './source-builtin-models.ts'
import type { TextModels, TextOrder } from './text-models.ts'
import type { Tool } from './tool.ts'

function toolsFor(models: TextModels, now?: () => number): readonly Tool[] {
  return modelTools({ models, scopes: { '*': [] }, ...(now !== undefined && { now }) })
}

/** Names in an order that is not theirs. */
function many(count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => `model-${String((at * 7) % count).padStart(3, '0')}`)
}

interface ListedPage {
  readonly models: readonly { readonly name: string }[]
  readonly nextCursor?: string
}

async function pageAt(tools: readonly Tool[], input: object): Promise<ListedPage> {
  return Object((await callTool(tools, 'list_models', { input })).structuredContent)
}

test('the answer of a model is structured', async () => {
  const seen: TextOrder[] = []
  const tools = toolsFor(
    textModels(['tiny'], async (order) => {
      seen.push(order)
      return { text: 'Hi', model: 'other', finishReason: 'STOP', tokensIn: 3, tokensOut: 1 }
    }),
  )
  const input = { model: 'tiny', prompt: 'Say hi', maxOutputTokens: 5 }
  const { structuredContent, isError } = await callTool(tools, 'generate_text', { input })
  assert.deepEqual(structuredContent, {
    text: 'Hi',
    model: 'other',
    finishReason: 'STOP',
    tokensIn: 3,
    tokensOut: 1,
  })
  assert.equal(isError, undefined)
  assert.deepEqual(seen, [{ prompt: 'Say hi', maxOutputTokens: 5 }])
})

for (const input of [
  {},
  { model: 'tiny' },
  { model: 'tiny', prompt: '' },
  { model: '', prompt: 'a' },
  { model: 'x'.repeat(129), prompt: 'a' },
  { model: 'tiny', prompt: 'a', maxOutputTokens: 0 },
  { model: 'tiny', prompt: 'a', maxOutputTokens: 1.5 },
  { model: 'tiny', prompt: 'a', temperature: 1 },
])
  test(`input that makes no sense asks no model: ${JSON.stringify(input).slice(0, 60)}`, async () => {
    const tools = toolsFor(textModels(['tiny'], () => Promise.reject(new Error('it was asked'))))
    assert.equal((await callTool(tools, 'generate_text', { input })).isError, true)
  })

test('for an unknown model the caller learns which call lists them', async () => {
  const input = { model: 'nano', prompt: 'a' }
  const result = await callTool(toolsFor(textModels(['tiny'])), 'generate_text', { input })
  assert.equal(result.isError, true)
  assert.equal(textOf(result), 'there is no model "nano" that writes text; list_models tells which there are')
})

test('where that call is not offered, the caller learns the names', async () => {
  const tools = modelTools({ models: textModels(['big', 'tiny']), scopes: { generate_text: ['a'] } })
  const result = await callTool(tools, 'generate_text', { input: { model: 'nano', prompt: 'a' } })
  assert.equal(textOf(result), 'there is no model "nano" that writes text; there are big, tiny')
  assert.doesNotMatch(JSON.stringify(tools[0]?.listing), /list_models/)
})

test('the scopes of a tool are its own, or those of all', () => {
  const scopes = { '*': ['a'], generate_text: ['b', 'c'] }
  assert.deepEqual(
    modelTools({ models: textModels(['tiny']), scopes }).map(({ name, needs }) => [name, needs.allOf]),
    [
      ['generate_text', ['b', 'c']],
      ['list_models', ['a']],
    ],
  )
})

test('a failure of a model, and a bad cursor, are results in words, not errors of the server', async () => {
  const models = textModels(['tiny'], () =>
    Promise.reject(new Failure('unavailable', 'the upstream of tiny did not answer')),
  )
  const { post } = serveTools({ tools: toolsFor(models) })
  const results: unknown[] = []
  for (const [name, input] of [
    ['generate_text', { model: 'tiny', prompt: 'a' }],
    ['list_models', { cursor: 'bogus' }],
  ] as const) {
    const { body, options } = legacy('tools/call', { name, arguments: input })
    results.push((await post(body, options)).json().result)
  }
  assert.deepEqual(
    results,
    [
      'the upstream of tiny did not answer',
      'cursor is not one that this list gave you: begin again without it',
    ].map((text) => ({ content: [{ type: 'text', text }], isError: true })),
  )
})

test('a walk shows every model once, in the order of their names, fifty a page', async () => {
  const tools = toolsFor(textModels(many(120)))
  const pages: string[][] = []
  let cursor: string | undefined = ''
  while (cursor !== undefined) {
    const page: ListedPage = await pageAt(tools, { cursor })
    pages.push(page.models.map(({ name }) => name))
    cursor = page.nextCursor
  }
  assert.deepEqual(
    pages.map(({ length }) => length),
    [50, 50, 20],
  )
  assert.deepEqual(pages.flat(), many(120).toSorted())
})

test('a list tells of each model its version and limits, and nothing more', async () => {
  assert.deepEqual(await pageAt(toolsFor(textModels(['tiny'])), {}), {
    models: [{ name: 'tiny', version: 'echo-1', inputTokenLimit: 10, outputTokenLimit: 20 }],
  })
})

test('progress is told in characters, ten times a second at most', async () => {
  let time = 0
  const models = textModels(['tiny'], async (_order, { onText }) => {
    for (let characters = 0; characters <= 100; characters += 1) {
      onText(characters)
      time += 10
    }
    return { text: '', model: 'tiny', finishReason: 'STOP', tokensIn: 0, tokensOut: 0 }
  })
  const told: unknown[] = []
  await callTool(
    toolsFor(models, () => time),
    'generate_text',
    { input: { model: 'tiny', prompt: 'a' }, progress: (...progress) => told.push(progress) },
  )
  assert.equal(told.length, 10)
  assert.deepEqual(told[1], [11, undefined, '11 characters so far'])
})
