import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { textModels } from '../../test/mcp/text-models.ts'
import { callTool, textOf } from '../../test/mcp/tool-call.ts'
import { startUpstream } from '../../test/mcp/upstream-server.ts'
import { parseConfig } from '../config/parse-config.ts'
import { Failure } from '../failure/failure.ts'
import { createLog } from '../log/log.ts'
import { openSources } from './open-sources.ts'
import type { TextModels } from './text-models.ts'
import type { ToolSource } from './tool-source.ts'

const defineTool = new URL('define-tool.ts', import.meta.url).href
const modules = {
  'good.ts': `import { defineTool } from '${defineTool}'
const input: { readonly type: 'object' } = { type: 'object' }
export const tools = [defineTool({ name: 'hello', description: 'd', scopes: ['a'], input, run: () => 'hi' })]`,
  'empty.js': 'export const other = 1',
  'wrong.js': 'export const tools = [{ name: "x" }]',
  'broken.js': 'export const tools = [',
  'throws.js': 'throw new Error("no database")',
  'lost.js': 'import "./nowhere.js"',
  'around.js': 'import "./lost.js"',
  'poor.js': 'import "no-such-package"',
  'unbuilt.js': `import "${new URL('../../dist/never-built.js', import.meta.url).href}"`,
}

let directory: string
before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'postern-sources-'))
  for (const [name, text] of Object.entries(modules)) await writeFile(join(directory, name), text)
  const paths = { '/a': { get: { operationId: 'getA' } } }
  await writeFile(join(directory, 'api.json'), JSON.stringify({ openapi: '3.1.0', paths }))
})
after(() => rm(directory, { recursive: true }))

function open(...sources: readonly string[]): Promise<readonly ToolSource[]> {
  return openBeside(undefined, ...sources)
}

async function openBeside(
  models: TextModels | undefined,
  ...sources: readonly string[]
): Promise<readonly ToolSource[]> {
  const text = `tools:\n  sources:\n${sources.map((source) => `    - ${source}\n`).join('')}`
  const { tools } = parseConfig(text, { file: 'postern.yaml', env: {} })
  return openSources(tools, { log: createLog({ level: 'silent' }), directory, models })
}

test('sources of every kind open, in the order of the configuration', async (t) => {
  const upstream = await startUpstream()
  const opened = await open(
    `{ kind: mcp, name: docs, url: "${upstream.url}", allowPrivate: true, scopes: { "*": [] } }`,
    '{ kind: openapi, name: shop, spec: api.json, baseUrl: https://shop.example, scopes: { getA: [a] } }',
    '{ kind: module, path: ./good.ts }',
    '{ kind: builtin }',
  )
  t.after(async () => {
    await Promise.all(opened.map((source) => source.close()))
    await upstream.stop()
  })
  assert.deepEqual(
    opened.map((source) => source.tools().map(({ name }) => name)),
    [['docs_echo'], ['shop_getA'], ['hello'], ['echo', 'time']],
  )
  const own = opened[2]?.tools() ?? []
  assert.equal(textOf(await callTool(own, 'hello')), 'hi')
  assert.deepEqual(own[0]?.needs, { allOf: ['a'], anyOf: [] })
})

test('a dead upstream does not keep the others from opening', async () => {
  const opened = await open(
    '{ kind: mcp, name: dead, url: "http://127.0.0.1:1/mcp", allowPrivate: true, scopes: { "*": [a] } }',
    '{ kind: builtin }',
  )
  assert.deepEqual(
    opened.map((source) => source.tools().length),
    [0, 2],
  )
  await Promise.all(opened.map((source) => source.close()))
})

const refused: readonly (readonly [string, RegExp])[] = [
  ['{ kind: module, path: ./missing.ts }', /missing\.ts: it cannot be loaded: there is no such file/],
  [
    '{ kind: module, path: ./lost.js }',
    /lost\.js: it cannot be loaded: it imports \/\S+\/nowhere\.js, which does not exist/,
  ],
  [
    '{ kind: module, path: ./around.js }',
    /around\.js: it cannot be loaded: \/\S+\/lost\.js imports \/\S+\/nowhere\.js, which does not exist/,
  ],
  [
    '{ kind: module, path: ./poor.js }',
    /poor\.js: it cannot be loaded: it imports the package no-such-package, which is not installed: run "npm install/,
  ],
  [
    '{ kind: module, path: ./unbuilt.js }',
    /unbuilt\.js: it cannot be loaded: it imports postern, which is not built .*: run "npm run build" first/,
  ],
  ['{ kind: module, path: ./empty.js }', /empty\.js: it must export a list/],
  ['{ kind: module, path: ./wrong.js }', /wrong\.js: tools\[0\] was not made with defineTool/],
  ['{ kind: module, path: ./broken.js }', /broken\.js: it cannot be loaded: SyntaxError/],
  ['{ kind: module, path: ./throws.js }', /throws\.js: it cannot be loaded: Error: no database/],
  ['{ kind: module, path: ./good.ts, scopes: { helo: [a] } }', /scopes names helo/],
  ['{ kind: builtin, scopes: { ecko: [a] } }', /scopes names ecko/],
  [
    '{ kind: builtin, scopes: { "*": [a], generate_text: [b] } }',
    /scopes names generate_text, which needs a model; name one under models/,
  ],
  ['{ kind: builtin, scopes: { list_models: [] } }', /scopes names list_models, which needs a model/],
  ['{ kind: openapi, name: s, spec: api.json, baseUrl: "https://a.example", scopes: { getB: [a] } }', /getB/],
  [
    '{ kind: openapi, name: s, spec: api.json, baseUrl: "http://a.example", scopes: { "*": [] } }',
    /must use https/,
  ],
  ['{ kind: mcp, name: m, url: "https://127.0.0.1/mcp", scopes: { "*": [] } }', /private or reserved/],
  [
    '{ kind: mcp, name: m, url: "https://a.example/mcp" }',
    /m: scopes must say what a call needs.*\{ "\*": \[\] \}/,
  ],
  ['{ kind: openapi, name: s, spec: api.json, baseUrl: "https://a.example" }', /s: scopes must say/],
]

for (const [source, message] of refused) {
  test(`a source that is misconfigured is refused in words: ${source}`, async () => {
    await assert.rejects(open(source), (error: unknown) => {
      assert.ok(error instanceof Failure)
      assert.equal(error.code, 'misconfigured')
      assert.match(error.message, message)
      return true
    })
  })
}

test('scopes may name a tool with or without the prefix of its source', async () => {
  const opened = await open(
    '{ kind: openapi, name: s, spec: api.json, baseUrl: "https://a.example", scopes: { getA: [a], s_getA: [b], "*": [c] } }',
  )
  await Promise.all(opened.map((source) => source.close()))
  assert.equal(opened.length, 1)
})

const offers: readonly (readonly [string, boolean, readonly string[]])[] = [
  ['{ kind: builtin }', true, []],
  ['{ kind: builtin, scopes: { echo: [a], time: [] } }', true, []],
  ['{ kind: builtin, scopes: { generate_text: [a] } }', true, ['generate_text']],
  ['{ kind: builtin, scopes: { list_models: [] } }', true, ['list_models']],
  ['{ kind: builtin, scopes: { "*": [a] } }', true, ['generate_text', 'list_models']],
  ['{ kind: builtin, scopes: { "*": [a] } }', false, []],
]

for (const [source, hasModels, expected] of offers)
  test(`with${hasModels ? '' : 'out'} models ${source} offers ${expected.join(' and ') || 'nothing that costs'}`, async () => {
    const [opened] = await openBeside(hasModels ? textModels(['tiny']) : undefined, source)
    assert.deepEqual(
      opened?.tools().map(({ name }) => name),
      ['echo', 'time', ...expected],
    )
  })
