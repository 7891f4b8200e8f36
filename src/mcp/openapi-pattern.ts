import { isObject, type JsonObject, member } from './source-json.ts'

/**
 * The same schema, without the patterns of a foreign document: one made for it, or made carelessly, would keep this process
 * busy for minutes over a short text. The API checks them itself. What hangs on a pattern in a way that would refuse more
 * without it goes as well.
 */
export function withoutPatterns(schema: JsonObject): JsonObject {
  if (!hasPattern(schema)) return schema
  const dropped = new Set(['pattern', 'patternProperties', 'unevaluatedItems', 'unevaluatedProperties'])
  if (member(schema, 'patternProperties') !== undefined) dropped.add('additionalProperties')
  for (const [keyword, ...others] of contrary)
    if (keyword !== undefined && hasPattern({ [keyword]: member(schema, keyword) }))
      for (const one of [keyword, ...others]) dropped.add(one)
  const kept = Object.entries(schema).filter(([keyword]) => !dropped.has(keyword))
  return Object.fromEntries(kept.map(([keyword, value]) => [keyword, mapInner(keyword, value)]))
}

/** Keywords that may refuse because an inner schema accepts, and what means nothing without them. */
export const contrary: readonly (readonly string[])[] = [
  ['not'],
  ['oneOf'],
  ['if', 'then', 'else'],
  ['contains', 'minContains', 'maxContains'],
]

function mapInner(keyword: string, value: unknown): unknown {
  const strip = (inner: unknown): unknown => (isObject(inner) ? withoutPatterns(inner) : inner)
  if (single.has(keyword)) return strip(value)
  if (several.has(keyword) && Array.isArray(value)) return value.map(strip)
  if (!named.has(keyword) || !isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, strip(inner)]))
}

const single: ReadonlySet<string> = new Set(
  'items additionalProperties not contains propertyNames if then else unevaluatedItems unevaluatedProperties'.split(
    ' ',
  ),
)
const several: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems'])
const named: ReadonlySet<string> = new Set(['properties', 'dependentSchemas'])

function hasPattern(schema: unknown): boolean {
  if (!isObject(schema)) return false
  return Object.entries(schema).some(([keyword, value]) => {
    if (keyword === 'pattern' || keyword === 'patternProperties') return true
    if (single.has(keyword)) return hasPattern(value)
    if (several.has(keyword)) return Array.isArray(value) && value.some(hasPattern)
    return named.has(keyword) && isObject(value) && Object.values(value).some(hasPattern)
  })
}
