import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Config } from '../../src/config/config-schema.ts'
import { parseConfig } from '../../src/config/parse-config.ts'
import { unservedSettings } from '../../src/gateway/unserved.ts'
import { blocksOf, readPage } from './command-blocks.ts'

const page = 'docs/configuration.md'

function examples(): readonly Config[] {
  const names = Array.from(readPage(page).matchAll(/\$\{(\w+)\}/g), ([, name]) => name)
  const values = names.map((name, index) => [name, `example-value-of-32-characters-${index}-x`])
  const env = { ...Object.fromEntries(values), REDIS_URL: 'redis://cache:6379' }
  return blocksOf(page, 'yaml').map((text) => parseConfig(text, { file: page, env }))
}

test('no example of docs/configuration.md shows a setting that this version does not act on', () => {
  assert.deepEqual(examples().flatMap(unservedSettings), [])
})

test('every limit of a tool in docs/configuration.md is for a tool that its example has', () => {
  const limited = examples().filter(({ limits }) => Object.keys(limits.tools).length > 0)
  assert.ok(limited.length > 0)
  for (const { limits, tools } of limited) {
    const offered = tools.sources.flatMap(({ scopes }) => Object.keys(scopes))
    for (const name of Object.keys(limits.tools)) assert.ok(offered.includes(name), name)
  }
})

test('the options in docs/engine-openai.md are the keys of such a model, with their defaults', () => {
  const openai = { name: 'house', engine: 'openai', baseUrl: 'http://127.0.0.1:11434/v1' }
  const { models } = parseConfig(JSON.stringify({ models: [openai] }), { file: 'openai', env: {} })
  const told = rowsOfOptions()
  const beside = new Set(['name', 'engine', 'fallbacks', 'baseUrl'])
  const found = Object.entries(models[0] ?? {})
    .filter(([key]) => !beside.has(key))
    .flatMap(([key, value]) =>
      typeof value === 'object'
        ? Object.entries(value).map(([below, inner]) => [`${key}.${below}`, written(inner)])
        : [[key, written(value)]],
    )
  const withoutDefault = [
    ['baseUrl', '–'],
    ['model', '`name`'],
    ['apiKey', 'none'],
  ]
  assert.deepEqual(Object.fromEntries(told), Object.fromEntries([...withoutDefault, ...found]))
})

function rowsOfOptions(): readonly (readonly [string, string | undefined])[] {
  const section = /## Options\n(.*?)\n## /s.exec(readPage('docs/engine-openai.md'))?.[1] ?? ''
  const rows = section.matchAll(/^\| (`.+?`) \| (.+?) \|/gm)
  return Array.from(rows).flatMap(([, keys = '', values = '']) => {
    const defaults = values.split(', ')
    return Array.from(keys.matchAll(/`([\w.]+)`/g), ([, key = ''], at) => [key, defaults[at]] as const)
  })
}

function written(value: unknown): string {
  if (Array.isArray(value)) return 'none'
  return typeof value === 'string' ? `\`${value}\`` : String(value)
}
