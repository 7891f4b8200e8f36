import { untranslatable } from './untranslatable.ts'
import { isObject, type JsonObject } from './values.ts'

const maxDepth = 64

/** JSON Schema stays as it is, but for upper-case types (the Gemini CLI writes them) and the order of properties. */
export function fromJsonSchema(schema: unknown, path: string, depth = 0): unknown {
  if (typeof schema === 'boolean') return schema
  const given = checkedObject(schema, path, depth)
  const nested = (value: unknown, name: string): unknown =>
    fromJsonSchema(value, `${path}.${name}`, depth + 1)
  const entries = Object.entries(given).flatMap(([name, value]): [string, unknown][] => {
    if (name === 'propertyOrdering') return []
    if (name === 'type')
      return [[name, Array.isArray(value) ? value.map(lowerCaseType) : lowerCaseType(value)]]
    if (isSchemaMap(name) && isObject(value))
      return [
        [
          name,
          mapped(name === 'properties' ? ordered(value, given) : value, (inner, key) =>
            nested(inner, `${name}.${key}`),
          ),
        ],
      ]
    if (isSchemaList(name) && Array.isArray(value))
      return [[name, value.map((inner, index) => nested(inner, `${name}[${index}]`))]]
    if (isSchemaPlace(name) && (isObject(value) || typeof value === 'boolean'))
      return [[name, nested(value, name)]]
    return [[name, value]]
  })
  return Object.fromEntries(entries)
}

export const typeNames: ReadonlySet<string> = new Set(
  'string number integer boolean array object null'.split(' '),
)

export function lowerCaseType(type: unknown): unknown {
  const lower = typeof type === 'string' ? type.toLowerCase() : ''
  return typeNames.has(lower) ? lower : type
}

export function checkedObject(schema: unknown, path: string, depth: number): JsonObject {
  if (!isObject(schema)) throw untranslatable(path, 'must be a schema, that is, an object')
  if (depth > maxDepth) throw untranslatable(path, `is nested more than ${maxDepth} schemas deep`)
  return schema
}

export function ordered(properties: JsonObject, { propertyOrdering }: JsonObject): JsonObject {
  if (!Array.isArray(propertyOrdering)) return properties
  const first = propertyOrdering.filter(
    (name): name is string => typeof name === 'string' && Object.hasOwn(properties, name),
  )
  return Object.fromEntries(
    [...new Set([...first, ...Object.keys(properties)])].map((name) => [name, properties[name]]),
  )
}

export function mapped(value: JsonObject, change: (inner: unknown, key: string) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, change(inner, key)]))
}

const schemaMaps: ReadonlySet<string> = new Set(
  'properties patternProperties $defs definitions dependentSchemas'.split(' '),
)
const schemaLists: ReadonlySet<string> = new Set('anyOf oneOf allOf prefixItems items'.split(' '))
const schemaPlaces: ReadonlySet<string> = new Set(
  'items additionalProperties additionalItems contains propertyNames not if then else unevaluatedItems unevaluatedProperties'.split(
    ' ',
  ),
)

const isSchemaMap = (name: string): boolean => schemaMaps.has(name)
const isSchemaList = (name: string): boolean => schemaLists.has(name)
const isSchemaPlace = (name: string): boolean => schemaPlaces.has(name)
