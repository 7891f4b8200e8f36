import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from 'typebox'
import { tools as fixtures } from '../../test/conformance/fixture-tools.ts'
import { legacy, modern } from '../../test/mcp/messages.ts'
import { type ServedTools, serveTools } from '../../test/mcp/tool-server.ts'
import { defineTool } from './define-tool.ts'
import type { Tool } from './tool.ts'

function named(name: string, scopes: readonly string[] = []): Tool {
  return defineTool({ name, description: name, scopes, input: Type.Object({}), run: () => name })
}

interface Page {
  readonly tools: readonly { readonly name: string; readonly inputSchema: unknown }[]
  readonly nextCursor?: string
  readonly ttlMs?: number
  readonly cacheScope?: string
}

async function pageAt(
  { post }: ServedTools,
  params: Readonly<Record<string, unknown>>,
  token = 'ann',
): Promise<Page> {
  const { body, options } = modern('tools/list', params)
  return (await post(body, { ...options, token })).json().result
}

async function walk(served: ServedTools, token = 'ann'): Promise<string[][]> {
  const pages: string[][] = []
  let cursor: string | undefined
  do {
    const page = await pageAt(served, cursor === undefined ? {} : { cursor }, token)
    pages.push(page.tools.map(({ name }) => name))
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return pages
}

const unsorted = ['b', 'a', 'B', 'c', 'a-2', 'a_2', 'Z'].map((name) =>
  named(name, name < 'a' ? ['upper'] : []),
)

test('tools come sorted by name, whatever the order of their sources', async () => {
  const expected = [['B', 'Z', 'a', 'a-2', 'a_2', 'b', 'c']]
  assert.deepEqual(await walk(serveTools({ tools: unsorted })), expected)
  assert.deepEqual(await walk(serveTools({ tools: unsorted.toReversed() })), expected)
})

test('a small page size splits the list, and a walk shows every tool once', async () => {
  const served = serveTools({ tools: unsorted, settings: '{ pageSize: 3 }' })
  assert.deepEqual(await walk(served), [['B', 'Z', 'a'], ['a-2', 'a_2', 'b'], ['c']])
})

test('a page that the list just fills has no cursor', async () => {
  const { nextCursor, tools } = await pageAt(serveTools({ tools: unsorted, settings: '{ pageSize: 7 }' }), {})
  assert.deepEqual([tools.length, nextCursor], [7, undefined])
})

test('an empty cursor is the first page', async () => {
  const served = serveTools({ tools: unsorted, settings: '{ pageSize: 3 }' })
  const { tools } = await pageAt(served, { cursor: '' })
  assert.deepEqual(
    tools.map(({ name }) => name),
    ['B', 'Z', 'a'],
  )
})

for (const [what, cursor] of [
  ['one that nobody gave', 'bogus'],
  ['an offset', '3'],
  ['a number', 3],
  ['null', null],
] as const)
  for (const message of [modern, legacy])
    test(`a bad cursor (${what}) is refused with -32602 under ${message.name}`, async () => {
      const { post } = serveTools({ tools: unsorted })
      const { body, options } = message('tools/list', { cursor })
      assert.equal((await post(body, options)).json().error.code, -32602)
    })

const keys = ['Zk3vT8qLw1Xy7Rb5Nc9Md2Pf6Hj4Gs0A', 'q9Wm2Ec7Vx4Bz1Tn6Yk3Ru8Jp5Lh0DsQ'] as const

test('a cursor works on another instance with the same key, and on none with another', async () => {
  const serve = (key: string): ServedTools =>
    serveTools({ tools: unsorted, settings: '{ pageSize: 3 }', pagingKeys: [key] })
  const [one, same, other] = [serve(keys[0]), serve(keys[0]), serve(keys[1])]
  const { nextCursor } = await pageAt(one, {})
  assert.equal((await pageAt(same, { cursor: nextCursor })).tools[0]?.name, 'a-2')
  const { body, options } = modern('tools/list', { cursor: nextCursor })
  assert.equal((await other.post(body, options)).json().error.code, -32602)
})

test('where it is so configured, a token sees only what it may call, on every page', async () => {
  const served = serveTools({ tools: unsorted, settings: '{ pageSize: 3, listOnlyCallable: true }' })
  assert.deepEqual(await walk(served, 'ann'), [
    ['a', 'a-2', 'a_2'],
    ['b', 'c'],
  ])
  assert.deepEqual(await walk(served, 'ann+upper'), [['B', 'Z', 'a'], ['a-2', 'a_2', 'b'], ['c']])
})

test('pages say how long they hold, and only for whom they were made; older ones say nothing', async () => {
  const served = serveTools({ tools: unsorted, settings: '{ pageSize: 3 }' })
  const first = await pageAt(served, {})
  const second = await pageAt(served, { cursor: first.nextCursor })
  for (const { ttlMs, cacheScope } of [first, second])
    assert.deepEqual([ttlMs, cacheScope], [60_000, 'private'])
  const older = (await served.post(legacy('tools/list').body)).json().result
  assert.deepEqual(Object.keys(older), ['tools', 'nextCursor'])
})

test('a schema with every keyword of JSON Schema 2020-12 survives the list', async () => {
  const { tools } = await pageAt(serveTools({ tools: fixtures }), {})
  const name = 'json_schema_2020_12_tool'
  const listed = tools.find((tool) => tool.name === name)
  assert.deepEqual(listed?.inputSchema, fixtures.find((tool) => tool.name === name)?.listing.inputSchema)
})

test('an output schema that is no object is shown to the newer era alone, as is what it describes', async () => {
  const count = defineTool({
    name: 'count',
    description: 'Counts.',
    scopes: [],
    input: Type.Object({}),
    output: Type.Number(),
    run: () => 3,
  })
  const { post } = serveTools({ tools: [count] })
  const ask = async (message: typeof modern, method: string): Promise<string> => {
    const { body, options } = message(method, method === 'tools/call' ? { name: 'count' } : {})
    return (await post(body, options)).body
  }
  assert.match(await ask(modern, 'tools/list'), /"outputSchema":\{"type":"number"\}/)
  assert.match(await ask(modern, 'tools/call'), /"structuredContent":3/)
  assert.doesNotMatch(await ask(legacy, 'tools/list'), /outputSchema/)
  assert.doesNotMatch(await ask(legacy, 'tools/call'), /structuredContent/)
})

test('a tool that needs a capability of the client is refused without it, and runs with it', async () => {
  const { post } = serveTools({ tools: fixtures })
  const token = 'ann+conformance.call'
  const { body, options } = modern('tools/call', { name: 'test_missing_capability' })
  const refused = await post(body, { ...options, token })
  assert.deepEqual([refused.statusCode, refused.json().error.code], [400, -32021])
  assert.deepEqual(refused.json().error.data.requiredCapabilities, { sampling: {} })
  const able = modern('tools/call', {
    name: 'test_missing_capability',
    _meta: { 'io.modelcontextprotocol/clientCapabilities': { sampling: {} } },
  })
  assert.equal((await post(able.body, { ...able.options, token })).statusCode, 200)
})
