import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { link, namesOf } from '../../test/mcp/linked-upstream.ts'
import { toolNamed } from '../../test/mcp/upstream-server.ts'

for (const sessions of [false, true]) {
  test(`a change that the upstream announces is followed (${sessions ? '2025-11-25' : '2026-07-28'})`, async (t) => {
    const { upstream, changed } = await link(t, { sessions })
    // Until 2025-11-25 changes are told on a stream that the client opens after it has connected.
    while (sessions && !upstream.requests.some(({ method }) => method === 'GET')) await setTimeout(5)
    upstream.behaviour.pages = [[toolNamed('other')]]
    upstream.announceChange()
    await changed((names) => names.join() === 'docs_other')
  })
}

test('an upstream that announces nothing is read again at its pace', async (t) => {
  const { upstream, changed } = await link(t, { listChanged: false, source: { refreshMinutes: 0.001 } })
  upstream.behaviour.pages = [[toolNamed('other')]]
  await changed((names) => names.join() === 'docs_other')
})

test('an upstream that takes no listeners is read again at its pace', async (t) => {
  const { upstream, changed } = await link(t, { listeners: 0, source: { refreshMinutes: 0.001 } })
  upstream.behaviour.pages = [[toolNamed('other')]]
  await changed((names) => names.join() === 'docs_other')
})

test('a list that did not change is not announced', async (t) => {
  const { upstream, source } = await link(t, { listChanged: false, source: { refreshMinutes: 0.0005 } })
  let announced = 0
  source.onChange(() => {
    announced += 1
  })
  const before = upstream.requests.length
  while (upstream.requests.length < before + 3) await setTimeout(10)
  assert.equal(announced, 0)
})

test('a list whose cursor repeats is refused as a whole', async (t) => {
  const { source, lines } = await link(t, {
    behaviour: { pages: [[toolNamed('a')]], nextCursor: () => '0-again' },
  })
  assert.deepEqual(namesOf(source), [])
  assert.match(lines.join(), /repeats a cursor/)
})

test('a list of so much text that it would fill the memory is refused as a whole', async (t) => {
  const description = 'x'.repeat(130_000)
  const pages = Array.from({ length: 7 }, (_, page) =>
    Array.from({ length: 20 }, (_unused, index) => ({ ...toolNamed(`a${page}_${index}`), description })),
  )
  const { source, lines } = await link(t, { behaviour: { pages }, surroundings: { firstWaitMs: 20_000 } })
  assert.deepEqual(namesOf(source), [])
  assert.match(lines.join(), /longer than 16777216 characters/)
})

test('a list without end is refused as a whole', async (t) => {
  let page = 0
  const nextCursor = (): string => {
    page += 1
    return `0-${page}`
  }
  const { source, lines } = await link(t, {
    behaviour: { pages: [Array.from({ length: 100 }, (_, index) => toolNamed(`a${index}`))], nextCursor },
    surroundings: { firstWaitMs: 20_000 },
  })
  assert.deepEqual(namesOf(source), [])
  assert.match(lines.join(), /more than 10000 tools/)
})

function nested(levels: number): unknown {
  return levels === 0 ? {} : { type: 'object', properties: { a: nested(levels - 1) } }
}

const hostile: readonly (readonly [string, unknown])[] = [
  ['no name', { inputSchema: { type: 'object' } }],
  ['a name that is no text', { name: 7, inputSchema: { type: 'object' } }],
  ['an overlong name', toolNamed('x'.repeat(200))],
  ['no input schema', { name: 'bad' }],
  ['an input schema of another type', { name: 'bad', inputSchema: { type: 'string' } }],
  ['a schema nested too deeply', { name: 'bad', inputSchema: nested(40) }],
  ['a schema that is too large', toolNamed('bad', { description: 'x'.repeat(200_000) })],
  [
    'a reference to another document',
    { name: 'bad', inputSchema: { type: 'object', properties: { a: { $ref: 'https://evil.example/s' } } } },
  ],
  ['a task that cannot be called', { ...toolNamed('bad'), execution: { taskSupport: 'required' } }],
  [
    'an impossible parameter header',
    {
      name: 'bad',
      inputSchema: { type: 'object', properties: { a: { type: 'string', 'x-mcp-header': 'a b' } } },
    },
  ],
  ['nothing at all', null],
]

for (const [what, tool] of hostile) {
  test(`a tool with ${what} is left out, and the others stay`, async (t) => {
    const { source, lines } = await link(t, {
      legacyOnly: true,
      behaviour: { pages: [[tool, toolNamed('good')]] },
    })
    assert.deepEqual(namesOf(source), ['docs_good'])
    assert.match(lines.join(), /left out/)
  })
}

test('characters that a name must not have are replaced, and names that then collide are all refused', async (t) => {
  const pages = [['a/b', 'a b', 'c\r\nd', 'e', 'e', 'f'].map((name) => toolNamed(name))]
  const { source, lines } = await link(t, { behaviour: { pages } })
  assert.deepEqual(namesOf(source), ['docs_c_d', 'docs_f'])
  assert.match(lines.join(), /"level":"error".*docs_a_b/)
  assert.match(lines.join(), /docs_e/)
})

test('schemas pass as they are', async (t) => {
  const tool = toolNamed('a', {
    title: 'A',
    inputSchema: { type: 'object', $defs: { x: { $anchor: 'y' } }, properties: { a: { $ref: '#/$defs/x' } } },
    outputSchema: { type: 'object', properties: { b: { type: 'string' } } },
    annotations: { readOnlyHint: true },
  })
  const { source } = await link(t, { behaviour: { pages: [[tool]] } })
  assert.deepEqual(source.tools()[0]?.listing, { ...tool, name: 'docs_a' })
})
