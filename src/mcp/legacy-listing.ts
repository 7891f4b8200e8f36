import { isObject, type JsonObject } from './source-json.ts'
import type { Tool } from './tool.ts'

/**
 * A listing as clients until 2025-11-25 take it. The official ones refuse the whole list for one schema whose properties
 * are not all objects, and for an output schema whose root is none.
 */
export function legacyListing(listing: Tool['listing']): Tool['listing'] {
  const { outputSchema, ...rest } = listing
  const output = legacySchema(outputSchema)
  const kept = output === undefined ? rest : { ...listing, outputSchema: output }
  return { ...kept, inputSchema: legacySchema(listing.inputSchema) ?? { type: 'object' } }
}

function legacySchema(schema: unknown): JsonObject | undefined {
  if (!isObject(schema) || schema.type !== 'object') return undefined
  const { properties, required } = schema
  if (required !== undefined && !isTextList(required)) return undefined
  if (properties === undefined) return schema
  if (!isObject(properties)) return undefined
  const spelled = Object.entries(properties).map(([name, value]) => [name, spelledOut(value)] as const)
  if (!spelled.every(([, value]) => isObject(value))) return undefined
  return { ...schema, properties: Object.fromEntries(spelled) }
}

/** What JSON Schema takes for the same. */
function spelledOut(schema: unknown): unknown {
  if (schema === true) return {}
  return schema === false ? { not: {} } : schema
}

function isTextList(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}
