import { type OpenApiDocument, resolveReference, unreadable } from './openapi-document.ts'
import { isObject, type JsonObject, listMember, member, textMember } from './source-json.ts'

/** A schema of the document as JSON Schema 2020-12 that stands alone: references are replaced by what they stand for. */
export function standaloneSchema(document: OpenApiDocument, schema: unknown): JsonObject {
  let nodes = 0
  const convert = (given: unknown, open: readonly string[]): unknown => {
    nodes += 1
    if (nodes > maxNodes) throw unreadable(`has a schema with more than ${maxNodes} parts`)
    if (!isObject(given)) return typeof given === 'boolean' ? given : {}
    const reference = textMember(given, '$ref')
    if (reference === undefined) return converted(document, given, (inner) => convert(inner, open))
    // A schema that contains itself has no end: past the first round, or the depth, it allows anything.
    if (open.includes(reference) || open.length >= maxDepth) return {}
    const target = convert(resolveReference(document, reference), [...open, reference])
    return document.version === '3.0' ? target : besides(target, convert(withoutReference(given), open))
  }
  const result = convert(schema, [])
  return isObject(result) ? result : {}
}

const maxNodes = 5000
const maxDepth = 24

type Convert = (schema: unknown) => unknown

const plainKeywords: readonly string[] = [
  'type enum const title description default deprecated examples format contentEncoding contentMediaType',
  'multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern',
  'maxItems minItems uniqueItems maxContains minContains maxProperties minProperties required dependentRequired',
].flatMap((line) => line.split(' '))
const schemaKeywords: readonly string[] =
  'items additionalProperties not contains propertyNames if then else unevaluatedItems unevaluatedProperties'.split(
    ' ',
  )
const listKeywords: readonly string[] = ['allOf', 'anyOf', 'oneOf', 'prefixItems']
const mapKeywords: readonly string[] = ['properties', 'patternProperties', 'dependentSchemas']

/** Keeps what JSON Schema knows, and drops what only OpenAPI does. */
function converted(document: OpenApiDocument, schema: JsonObject, convert: Convert): JsonObject {
  const kept = Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
    if (plainKeywords.includes(key)) return key === 'pattern' && !isPattern(value) ? [] : [[key, value]]
    if (schemaKeywords.includes(key)) return [[key, convert(value)]]
    if (listKeywords.includes(key)) return Array.isArray(value) ? [[key, value.map(convert)]] : []
    if (!mapKeywords.includes(key) || !isObject(value)) return []
    return [
      [key, Object.fromEntries(requestProperties(value).map(([name, inner]) => [name, convert(inner)]))],
    ]
  })
  const result = withoutReadOnly(schema, Object.fromEntries(kept))
  return document.version === '3.0' ? fromVersion30(schema, result) : result
}

/** Properties that only answers have are none of the caller's. */
function requestProperties(properties: JsonObject): [string, unknown][] {
  return Object.entries(properties).filter(([, schema]) => member(schema, 'readOnly') !== true)
}

function withoutReadOnly(schema: JsonObject, result: JsonObject): JsonObject {
  const properties = member(schema, 'properties')
  const required = listMember(result, 'required')
  const isAsked = (name: unknown): boolean =>
    typeof name !== 'string' || member(member(properties, name), 'readOnly') !== true
  return required.every(isAsked) ? result : { ...result, required: required.filter(isAsked) }
}

/** In 3.0 null is said by `nullable`, and an exclusive limit by a flag beside the limit. */
function fromVersion30(schema: JsonObject, result: JsonObject): JsonObject {
  const { exclusiveMinimum, exclusiveMaximum, ...rest } = result
  const limits = {
    ...(exclusiveMinimum === true ? { exclusiveMinimum: rest.minimum } : {}),
    ...(exclusiveMaximum === true ? { exclusiveMaximum: rest.maximum } : {}),
  }
  const type = textMember(schema, 'type')
  if (member(schema, 'nullable') !== true || type === undefined) return { ...rest, ...limits }
  const choices = member(schema, 'enum')
  const withNull = Array.isArray(choices) ? { enum: [...new Set([...choices, null])] } : {}
  return { ...rest, ...limits, ...withNull, type: [type, 'null'] }
}

/** A pattern that our engine cannot read is left to the API to check. */
function isPattern(value: unknown): boolean {
  try {
    return typeof value === 'string' && new RegExp(value, 'u') instanceof RegExp
  } catch {
    return false
  }
}

function withoutReference(schema: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => key !== '$ref'))
}

/** In 3.1 a reference may have keywords beside it, which hold as well. */
function besides(target: unknown, rest: unknown): unknown {
  if (!isObject(rest) || Object.keys(rest).length === 0) return target
  const { title, description, ...constraints } = rest
  const words = {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
  }
  if (Object.keys(constraints).length > 0) return { allOf: [target, constraints], ...words }
  return isObject(target) ? { ...target, ...words } : target
}
