import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { type TObject, type TSchema, Type } from 'typebox'
import { configSchema } from './config-schema.ts'
import { expectation } from './expectation.ts'
import { parseConfig } from './parse-config.ts'
import { type SchemaKey, schemaKeys } from './schema-keys.ts'
import { derivedMark } from './schema-parts.ts'

const page = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8')

/** A table row as the schema says it must be; a heading such as "### `kind: mcp`" says whose rows follow it. */
function rowOf({ path, variant, schema }: SchemaKey): string {
  const cells = [
    `\`${path}\``,
    typeWords(schema),
    defaultWords(schema),
    String(Reflect.get(schema, 'description')),
  ]
  return `${variant ?? ''} | ${cells.join(' | ')} |`.trim()
}

function typeWords(schema: TSchema): string {
  if (Type.IsArray(schema)) return `list: ${typeWords(schema.items)}`
  if (Type.IsRecord(schema)) return `mapping: name to ${typeWords(Type.RecordValue(schema))}`
  return expectation(schema).replace(/^an? /, '')
}

function defaultWords(schema: TSchema): string {
  if ('default' in schema)
    return `\`${JSON.stringify(schema.default).replaceAll('"', '').replaceAll(',', ', ')}\``
  const derived: unknown = Reflect.get(schema, derivedMark)
  if (typeof derived === 'string') return derived
  if (Type.IsOptional(schema)) return 'none'
  return Type.IsObject(schema) && canBeLeftOut(schema) ? 'as below' : 'required'
}

/** Each of its keys has a default, so it is filled in as a whole. */
function canBeLeftOut({ properties }: TObject): boolean {
  return Object.values(properties).every((schema) => !['required', 'none'].includes(defaultWords(schema)))
}

/** The sections are headings, everything below them is a row. */
function isSection({ path, schema }: SchemaKey): boolean {
  return Type.IsObject(schema) && !path.includes('.')
}

function documentedRows(): string[] {
  let variant = ''
  return page.split('\n').flatMap((line) => {
    if (line.startsWith('#')) variant = /`((?:kind|engine): \w+)`/.exec(line)?.[1] ?? ''
    const row = line.replaceAll(/ +\|/g, ' |')
    return row.startsWith('| `') ? [`${variant} ${row}`.trim()] : []
  })
}

const documented = documentedRows()
const wanted = schemaKeys(configSchema)
  .filter((key) => !isSection(key))
  .map(rowOf)

test('every key is documented, with its type, default and meaning', () => {
  assert.deepEqual(
    wanted.filter((row) => !documented.includes(row)),
    [],
  )
})

test('no key is documented that does not exist, or twice', () => {
  assert.deepEqual(
    documented.filter((row, index) => !wanted.includes(row) || documented.indexOf(row) !== index),
    [],
  )
})

test('every section has a heading', () => {
  const headings = Array.from(page.matchAll(/^## `(\w+)`$/gm), ([, name]) => name)
  assert.deepEqual(headings, Object.keys(configSchema.properties))
})

test('every example of the page is a configuration that works', () => {
  const examples = Array.from(page.matchAll(/^```yaml\n(.*?)^```$/gms), ([, text]) => text ?? '')
  assert.ok(examples.length >= Object.keys(configSchema.properties).length)
  const names = Array.from(page.matchAll(/\$\{(\w+)\}/g), ([, name]) => name)
  const env = Object.fromEntries(
    names.map((name, index) => [name, `example-value-of-32-characters-${index}-x`]),
  )
  for (const text of examples) {
    const config = parseConfig(text, {
      file: 'example.yaml',
      env: { ...env, REDIS_URL: 'redis://cache:6379' },
    })
    assert.notDeepEqual(config, parseConfig('', { file: 'empty.yaml', env: {} }), text)
  }
})

test('a section is marked as not acted on yet exactly when the top of the page lists it so', () => {
  const listed = /It\s+reads and checks (.*?), but does not act on them/s.exec(page)?.[1] ?? ''
  const names = Array.from(listed.matchAll(/`([\w.]+)`/g), ([, name]) => name)
  const sections = Array.from(page.matchAll(/^## `(\w+)`\n\n> Not acted on yet:/gm), ([, name]) => name)
  const keys = Array.from(page.matchAll(/`(\w+)` and `(\w+)` are not acted on yet/g), ([, ...pair]) => pair)
  assert.deepEqual(names, [...keys.flat().map((key) => `server.${key}`), ...sections])
  assert.ok(names.length > 0)
})
