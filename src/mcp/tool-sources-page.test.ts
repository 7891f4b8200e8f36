import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { textModels } from '../../test/mcp/text-models.ts'
import { callTool } from '../../test/mcp/tool-call.ts'
import { parseConfig } from '../config/parse-config.ts'
import { createLog } from '../log/log.ts'
import { openSources } from './open-sources.ts'
import type { TextModels } from './text-models.ts'
import type { ToolSource } from './tool-source.ts'

const page = readFileSync(new URL('../../docs/tool-sources.md', import.meta.url), 'utf8')

function examples(fence: string): readonly string[] {
  return page
    .split('\n```')
    .flatMap((block) => (block.startsWith(`${fence}\n`) ? [block.slice(fence.length + 1)] : []))
}

const configurations = examples('yaml')
let directory: string
before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'postern-page-'))
  await mkdir(join(directory, 'tools'))
  const here = (module: string): string => import.meta.resolve(module)
  const code = examples('ts')
    .join('\n')
    .replace("'postern'", `'${here('./define-tool.ts')}'`)
    .replace("'typebox'", `'${here('typebox')}'`)
  await writeFile(join(directory, 'tools/math.ts'), code)
  await writeFile(join(directory, 'shop.yaml'), examples('yaml openapi').join('\n'))
})
after(() => rm(directory, { recursive: true }))

async function open(words: string, models?: TextModels): Promise<readonly ToolSource[]> {
  const text = configurations.find((one) => one.includes(words)) ?? ''
  const { tools } = parseConfig(text, {
    file: 'page.yaml',
    env: { DOCS_TOKEN: 'docs-token', SHOP_KEY: 'shop-key' },
  })
  return openSources(tools, { log: createLog({ level: 'silent' }), directory, models })
}

test('every configuration of the page is one that is read', () => {
  assert.equal(configurations.length, 5)
  for (const text of configurations)
    assert.equal(
      parseConfig(text, { file: 'page.yaml', env: { DOCS_TOKEN: 'a', SHOP_KEY: 'b' } }).tools.sources.length,
      1,
    )
})

test('the built-in tools are those of the page', async () => {
  const [source] = await open('kind: builtin')
  assert.deepEqual(
    source?.tools().map(({ name }) => name),
    ['echo', 'time'],
  )
})

test('the tools that need a model are switched on as the page says', async () => {
  const [source] = await open('generate_text', textModels(['tiny']))
  assert.deepEqual(
    source?.tools().map(({ name, needs }) => [name, needs.allOf]),
    [
      ['echo', []],
      ['time', []],
      ['generate_text', ['models:use']],
      ['list_models', ['models:list']],
    ],
  )
})

test('the module of the page works', async () => {
  const [source] = await open('kind: module')
  const result = await callTool(source?.tools() ?? [], 'add', { input: { a: 1, b: 2 } })
  assert.deepEqual(result.structuredContent, { sum: 3 })
})

test('the document of the page gives the tools it says', async () => {
  const [source] = await open('kind: openapi')
  assert.deepEqual(
    source?.tools().map(({ name }) => name),
    ['shop_getOrder', 'shop_createOrder'],
  )
  await source?.close()
})
