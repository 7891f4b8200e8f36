import { fromJsonSchema } from '../openai/json-schema.ts'
import { fromGeminiSchema } from '../openai/schema.ts'
import { untranslatable } from '../openai/untranslatable.ts'
import { isObject, type JsonObject } from '../openai/values.ts'

/** The schema of a request as the grammar takes it; what a grammar cannot hold the model to is refused by its name. */
export function grammarSchema(
  schema: unknown,
  name: 'responseSchema' | 'responseJsonSchema',
): Readonly<Record<string, unknown>> {
  const path = `generationConfig.${name}`
  const plain = name === 'responseSchema' ? fromGeminiSchema(schema, path) : fromJsonSchema(schema, path)
  return converted(plain, path)
}

function converted(schema: unknown, path: string): JsonObject {
  if (!isObject(schema)) throw untranslatable(path, 'must be a schema that says something')
  const { type } = schema
  // One grammar holds one kind of list or object.
  if (Array.isArray(type) && type.some((one) => one === 'object' || one === 'array'))
    return {
      oneOf: type.map((one) => converted(one === 'null' ? { type: one } : { ...schema, type: one }, path)),
    }
  const entries = Object.entries(schema).flatMap(([name, value]): [string, unknown][] => {
    if (ignored.has(name)) return []
    const convert = keywords.get(name)
    if (convert === undefined) throw untranslatable(`${path}.${name}`, 'this model cannot be held to it')
    return [[name === 'anyOf' ? 'oneOf' : name, convert(value, `${path}.${name}`)]]
  })
  return Object.fromEntries(entries)
}

/** They say nothing about the text. */
const ignored: ReadonlySet<string> = new Set(['title', 'default', 'example', 'examples', '$schema', '$id'])

type Convert = (value: unknown, path: string) => unknown

const same: Convert = (value) => value
const one: Convert = (value, path) => (typeof value === 'boolean' ? value : converted(value, path))
const list: Convert = (value, path) =>
  Array.isArray(value) ? value.map((inner, at) => converted(inner, `${path}[${at}]`)) : value
const map: Convert = (value, path) =>
  isObject(value)
    ? Object.fromEntries(
        Object.entries(value).map(([key, inner]) => [key, converted(inner, `${path}.${key}`)]),
      )
    : value
const format: Convert = (value, path) => {
  if (typeof value === 'string' && ['date-time', 'date', 'time'].includes(value)) return value
  throw untranslatable(path, 'must be date-time, date or time for this model')
}

const keywords: ReadonlyMap<string, Convert> = new Map([
  ...[
    'type',
    'description',
    'const',
    'enum',
    'required',
    'minLength',
    'maxLength',
    'minItems',
    'maxItems',
    'minProperties',
    'maxProperties',
    '$ref',
  ].map((name): [string, Convert] => [name, same]),
  ['format', format],
  ['items', one],
  ['additionalProperties', one],
  ['oneOf', list],
  ['anyOf', list],
  ['prefixItems', list],
  ['properties', map],
  ['$defs', map],
])
