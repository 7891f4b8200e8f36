import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { commands } from '../../src/cli/commands.ts'
import { parseConfig } from '../../src/config/parse-config.ts'

const page = readFileSync(new URL('../../docs/authority.md', import.meta.url), 'utf8')

function blocks(language: string): string[] {
  return Array.from(
    page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms')),
    ([, text]) => text ?? '',
  )
}

test('every configuration of the page about the authority works', () => {
  const names = Array.from(page.matchAll(/\$\{(\w+)\}/g), ([, name]) => name)
  const env = Object.fromEntries(names.map((name) => [name, 'example-value-of-32-characters-and-more']))
  for (const text of blocks('yaml')) assert.doesNotThrow(() => parseConfig(text, { file: text, env }))
  assert.ok(blocks('yaml').length > 5)
})

test('every command of the authority stands on its page', () => {
  const groups = ['The authority', 'Service accounts']
  const missing = commands.filter(
    ({ group, name }) => groups.includes(group) && !page.includes(`postern ${name}`),
  )
  assert.deepEqual(missing, [])
})
