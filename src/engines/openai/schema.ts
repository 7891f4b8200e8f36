import { checkedObject, lowerCaseType, mapped, ordered, typeNames } from './json-schema.ts'
import { untranslatable } from './untranslatable.ts'
import { isObject, type JsonObject } from './values.ts'

/** The Gemini wire's own schema (upper-case types, `nullable`, counts as strings) as JSON Schema. */
export function fromGeminiSchema(schema: unknown, path: string, depth = 0): JsonObject {
  const given = checkedObject(schema, path, depth)
  const entries: (readonly [string, unknown])[] = []
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue
    const translate = keywords.get(name)
    if (translate === undefined)
      throw untranslatable(`${path}.${name}`, 'is no keyword of a schema; use the JSON Schema field instead')
    entries.push(...translate(value, { path: `${path}.${name}`, depth, given }))
  }
  return withNull(Object.fromEntries(entries), given.nullable === true)
}

interface Place {
  readonly path: string
  readonly depth: number
  readonly given: JsonObject
}

type Keyword = (value: unknown, place: Place) => readonly (readonly [string, unknown])[]

const same =
  (name: string): Keyword =>
  (value) => [[name, value]]

const count =
  (name: string): Keyword =>
  (value, { path }) => {
    const number = numberIn(value)
    if (number === undefined || !Number.isSafeInteger(number))
      throw untranslatable(path, 'must be a whole number')
    return [[name, number]]
  }

const reference: Keyword = (value, { path }) => {
  if (typeof value !== 'string') throw untranslatable(path, 'must be a text such as #/defs/name')
  return [['$ref', value.replace(/^#\/defs\//, '#/$defs/')]]
}

const nestedSchema =
  (name: string): Keyword =>
  (value, { path, depth }) => [
    [name, typeof value === 'boolean' ? value : fromGeminiSchema(value, path, depth + 1)],
  ]

const schemaMap =
  (name: string): Keyword =>
  (value, { path, depth, given }) => {
    if (!isObject(value)) throw untranslatable(path, 'must be an object')
    const inOrder = name === 'properties' ? ordered(value, given) : value
    return [[name, mapped(inOrder, (inner, key) => fromGeminiSchema(inner, `${path}.${key}`, depth + 1))]]
  }

/** One row for each keyword of the Gemini schema: what it becomes. */
const keywords: ReadonlyMap<string, Keyword> = new Map(
  Object.entries<Keyword>({
    type: (value, { path }) => {
      const type = typeof value === 'string' ? lowerCaseType(value) : value
      if (value === 'TYPE_UNSPECIFIED') return []
      if (typeof type !== 'string' || !typeNames.has(type))
        throw untranslatable(path, 'must be STRING, NUMBER, INTEGER, BOOLEAN, ARRAY, OBJECT or NULL')
      return [['type', type]]
    },
    // `enum` is a format on the Gemini wire only: there it marks a text that has an `enum`.
    format: (value) => (value === 'enum' ? [] : [['format', value]]),
    title: same('title'),
    description: same('description'),
    nullable: (value, { path }) => {
      if (typeof value !== 'boolean') throw untranslatable(path, 'must be true or false')
      return []
    },
    enum: (value, { path, given }) => [['enum', enumValues(value, path, given.type)]],
    items: nestedSchema('items'),
    additionalProperties: nestedSchema('additionalProperties'),
    properties: schemaMap('properties'),
    defs: schemaMap('$defs'),
    $defs: schemaMap('$defs'),
    ref: reference,
    $ref: reference,
    anyOf: (value, { path, depth }) => {
      if (!Array.isArray(value)) throw untranslatable(path, 'must be a list')
      return [['anyOf', value.map((inner, index) => fromGeminiSchema(inner, `${path}[${index}]`, depth + 1))]]
    },
    required: same('required'),
    // The order is kept by the order of the properties themselves.
    propertyOrdering: () => [],
    minItems: count('minItems'),
    maxItems: count('maxItems'),
    minProperties: count('minProperties'),
    maxProperties: count('maxProperties'),
    minLength: count('minLength'),
    maxLength: count('maxLength'),
    minimum: same('minimum'),
    maximum: same('maximum'),
    pattern: same('pattern'),
    default: same('default'),
    example: (value) => [['examples', [value]]],
  }),
)

/** The Gemini wire writes the values of an enum as texts, whatever their type. */
function enumValues(value: unknown, path: string, type: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw untranslatable(path, 'must be a list')
  const isNumeric = lowerCaseType(type) === 'integer' || lowerCaseType(type) === 'number'
  if (!isNumeric) return value
  const numbers = value.map(numberIn)
  if (numbers.includes(undefined)) throw untranslatable(path, 'must hold numbers')
  return numbers
}

/** A number, or the text of one: only that is converted, because conversion calls what JSON names `toString`. */
function numberIn(value: unknown): number | undefined {
  const number = typeof value === 'string' && decimal.test(value) ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}

const decimal = /^-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?$/

function withNull(schema: JsonObject, isNullable: boolean): JsonObject {
  if (!isNullable || schema.type === 'null') return schema
  const { type, enum: values, anyOf, $ref, ...rest } = schema
  if ($ref !== undefined) return { ...rest, anyOf: [{ $ref }, { type: 'null' }] }
  return {
    ...schema,
    ...(type !== undefined && { type: [type, 'null'] }),
    ...(Array.isArray(values) && { enum: [...values, null] }),
    ...(Array.isArray(anyOf) && { anyOf: [...anyOf, { type: 'null' }] }),
  }
}
