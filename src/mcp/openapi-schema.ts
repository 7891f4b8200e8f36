import { type OpenApiDocument, resolveReference, unreadable } from './openapi-document.ts'
import { contrary } from './openapi-pattern.ts'
import { readOnlyNames } from './openapi-read-only.ts'
import { isObject, type JsonObject, listMember, member, textMember } from './source-json.ts'

/** A schema of the document as JSON Schema 2020-12 that stands alone: references are replaced by what they stand for. */
export function standaloneSchema(document: OpenApiDocument, schema: unknown): JsonObject {
  for (const depth of depths) {
    const result = expanded(document, schema, depth)
    if (result !== undefined) return isObject(result) ? result : {}
  }
  throw unreadable(`has a schema with more than ${maxNodes} parts`)
}

/** How many references deep, the first that leaves a schema of a bearable size. */
const depths = [24, 6, 3] as const
const maxNodes = 5000

/** Undefined when it has too many parts. */
function expanded(document: OpenApiDocument, schema: unknown, maxDepth: number): unknown {
  let nodes = 0
  let cuts = 0
  const cut = (): JsonObject => {
    cuts += 1
    return {}
  }
  const convert = (given: unknown, { open, hidden }: Above): unknown => {
    nodes += 1
    if (nodes > maxNodes) return cut()
    if (!isObject(given)) return typeof given === 'boolean' ? given : {}
    if (dynamicReferences.some((keyword) => Object.hasOwn(given, keyword))) cut()
    const reference = textMember(given, '$ref')
    if (reference === undefined) {
      const names = new Set([...hidden, ...readOnlyNames(document, given)])
      const inside = (inner: unknown, keyword: string): Converted => {
        const before = cuts
        const value = convert(inner, { open, hidden: keyword === 'allOf' ? names : nothing })
        return { value, isCut: cuts > before }
      }
      return converted(document, given, { names, inside })
    }
    // A schema that contains itself has no end: past the first round, or the depth, it allows anything.
    if (open.includes(reference) || open.length >= maxDepth) return cut()
    const target = convert(resolveReference(document, reference), { open: [...open, reference], hidden })
    return document.version === '3.0'
      ? target
      : besides(target, convert(withoutReference(given), { open, hidden }))
  }
  const result = convert(schema, { open: [], hidden: nothing })
  return nodes > maxNodes ? undefined : result
}

interface Above {
  /** The references on the way to here. */
  readonly open: readonly string[]
  /** Properties that a schema around this one says only answers have. */
  readonly hidden: ReadonlySet<string>
}

interface Converted {
  readonly value: unknown
  /** Whether something in it allows anything, in place of what the document says. */
  readonly isCut: boolean
}

interface Inside {
  readonly names: ReadonlySet<string>
  readonly inside: (schema: unknown, keyword: string) => Converted
}

const nothing: ReadonlySet<string> = new Set()
/** They have no fixed target. */
const dynamicReferences = ['$dynamicRef', '$recursiveRef'] as const

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
function converted(document: OpenApiDocument, schema: JsonObject, { names, inside }: Inside): JsonObject {
  const cut = new Set<string>()
  const convert = (keyword: string, inner: unknown): unknown => {
    const { value, isCut } = inside(inner, keyword)
    if (isCut) cut.add(keyword)
    return value
  }
  const kept = Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
    if (plainKeywords.includes(key)) return key === 'pattern' && !isPattern(value) ? [] : [[key, value]]
    if (schemaKeywords.includes(key)) return [[key, convert(key, value)]]
    if (listKeywords.includes(key))
      return Array.isArray(value) ? [[key, value.map((inner) => convert(key, inner))]] : []
    if (!mapKeywords.includes(key) || !isObject(value)) return []
    const inner = Object.entries(value).filter(([name]) => key !== 'properties' || !names.has(name))
    return [[key, Object.fromEntries(inner.map(([name, one]) => [name, convert(key, one)]))]]
  })
  const result = withoutRequired(names, withoutContrary(cut, Object.fromEntries(kept)))
  return document.version === '3.0' ? fromVersion30(schema, result) : result
}

/** What may refuse because an inner schema accepts must not hang on one that accepts anything: `oneOf` becomes `anyOf`. */
function withoutContrary(cut: ReadonlySet<string>, schema: JsonObject): JsonObject {
  if (cut.size === 0) return schema
  const dropped = new Set(['unevaluatedItems', 'unevaluatedProperties'])
  for (const [keyword, ...others] of contrary)
    if (keyword !== undefined && cut.has(keyword)) for (const one of [keyword, ...others]) dropped.add(one)
  const kept = Object.fromEntries(Object.entries(schema).filter(([keyword]) => !dropped.has(keyword)))
  return dropped.has('oneOf') ? { anyOf: schema.oneOf, ...kept } : kept
}

/** Properties that only answers have are none of the caller's. */
function withoutRequired(names: ReadonlySet<string>, schema: JsonObject): JsonObject {
  const required = listMember(schema, 'required')
  const isAsked = (name: unknown): boolean => typeof name !== 'string' || !names.has(name)
  return required.every(isAsked) ? schema : { ...schema, required: required.filter(isAsked) }
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
