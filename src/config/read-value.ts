import { type TArray, type TObject, type TRecord, type TSchema, Type } from 'typebox'
import { isAlias, isMap, isNode, isScalar, isSeq } from 'yaml'
import { expectation } from './expectation.ts'
import { keyPath } from './problem.ts'
import { kindOfNode, readScalar } from './read-scalar.ts'
import { refuse, refused, type Spot } from './reading.ts'
import { derivedMark } from './schema-parts.ts'
import { unknownKey } from './unknown-key.ts'
import { mappingOf, type Variants, variantsOf } from './variants.ts'
import { keyName } from './yaml-document.ts'

const maxValues = 20_000

/** Reads a node as the schema asks; what is wrong is noted, and `refused` stands in its place. */
export function readValue(given: unknown, schema: TSchema, at: Spot): unknown {
  const node = isAlias(given) ? at.reading.anchored.get(given) : given
  at.reading.values += 1
  if (at.reading.values > maxValues) return tooMany(at)
  if (Type.IsObject(schema)) return readSection(node, schema, at)
  if (Type.IsRecord(schema)) return readRecord(node, schema, at)
  if (Type.IsArray(schema)) return readList(node, schema, at)
  const variants = variantsOf(schema)
  if (variants !== undefined) return readVariant(node, variants, at)
  const mapping = isMap(node) ? mappingOf(schema) : undefined
  return mapping === undefined ? readScalar(node, schema, at) : readSection(node, mapping, at)
}

function tooMany(at: Spot): typeof refused {
  if (at.reading.values > maxValues + 1) return refused
  return refuse(at, `is too much: with its aliases, the file holds more than ${maxValues} values`)
}

function readSection(node: unknown, schema: TObject, at: Spot): unknown {
  const entries = entriesOf(node, at)
  if (entries === undefined) return refuse(at, `must be ${expectation(schema)}, not ${kindOfNode(node)}`)
  const known = Object.keys(schema.properties)
  for (const { name, keyOffset } of entries) {
    if (!known.includes(name)) noteUnknown(name, known, { ...at, offset: keyOffset })
  }
  const read = new Map(
    entries.flatMap(({ name, value, at: below }) => {
      const property = known.includes(name) ? schema.properties[name] : undefined
      return property === undefined ? [] : [[name, readValue(value, property, below)]]
    }),
  )
  const values = Object.entries(schema.properties).map(([name, property]): [string, unknown] => {
    if (read.has(name)) return [name, read.get(name)]
    return [name, absent(property, { ...at, path: keyPath(at.path, name) })]
  })
  return Object.fromEntries(values.filter(([, value]) => value !== undefined))
}

function noteUnknown(name: string, known: readonly string[], at: Spot): void {
  at.reading.values += 1
  if (at.reading.values > maxValues) tooMany(at)
  else unknownKey(name, known, at)
}

function absent(schema: TSchema, at: Spot): unknown {
  if ('default' in schema) return structuredClone(schema.default)
  if (Type.IsOptional(schema) || derivedMark in schema) return undefined
  if (Type.IsObject(schema)) return readSection(undefined, schema, at)
  return refuse(at, `is missing: it must be ${expectation(schema)}`)
}

function readRecord(node: unknown, schema: TRecord, at: Spot): unknown {
  const entries = entriesOf(node, at)
  if (entries === undefined) return refuse(at, `must be ${expectation(schema)}, not ${kindOfNode(node)}`)
  const valueSchema = Type.RecordValue(schema)
  return Object.fromEntries(
    entries.map((entry) => [entry.name, readValue(entry.value, valueSchema, entry.at)]),
  )
}

function readList(node: unknown, schema: TArray, at: Spot): unknown {
  if (isNothing(node)) return 'default' in schema ? structuredClone(schema.default) : []
  if (!isSeq(node)) return refuse(at, `must be a list, not ${kindOfNode(node)}`)
  const minimum: unknown = Reflect.get(schema, 'minItems')
  if (typeof minimum === 'number' && node.items.length < minimum) {
    return refuse(at, `must hold at least ${minimum}`)
  }
  return node.items.map((item, index) => {
    const path = `${at.path}[${index}]`
    const offset = offsetOf(item) ?? at.offset
    at.reading.offsets.set(path, offset)
    return readValue(item, schema.items, { reading: at.reading, path, offset })
  })
}

function readVariant(node: unknown, { key, branches }: Variants, at: Spot): unknown {
  const entries = entriesOf(node, at)
  const names = [...branches.keys()]
  if (entries === undefined || isNothing(node)) {
    return refuse(at, `must be a mapping with "${key}", not ${kindOfNode(node)}`)
  }
  const entry = entries.find(({ name }) => name === key)
  if (entry === undefined) return refuse(at, `needs "${key}": one of ${names.join(', ')}`)
  const chosen = readValue(entry.value, Type.Enum(names), entry.at)
  const branch = typeof chosen === 'string' ? branches.get(chosen) : undefined
  return branch === undefined ? refused : readSection(node, branch, at)
}

interface Entry {
  readonly name: string
  readonly value: unknown
  readonly at: Spot
  readonly keyOffset: number
}

/** The entries of a mapping; a section of which every line is commented out has none. */
function entriesOf(node: unknown, { reading, path, offset }: Spot): Entry[] | undefined {
  if (isNothing(node)) return []
  if (!isMap(node)) return undefined
  return node.items.flatMap(({ key, value }) => {
    const keyOffset = offsetOf(key) ?? offset
    const name = keyName(key)
    if (name === undefined) {
      refuse({ reading, path, offset: keyOffset }, 'has a key that is not plain text')
      return []
    }
    const below = { reading, path: keyPath(path, name) }
    const at = { ...below, offset: isNothing(value) ? keyOffset : (offsetOf(value) ?? keyOffset) }
    reading.offsets.set(at.path, at.offset)
    return [{ name, value, at, keyOffset }]
  })
}

function isNothing(node: unknown): boolean {
  return node === undefined || node === null || (isScalar(node) && node.value === null)
}

function offsetOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined
}
