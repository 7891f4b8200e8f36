/** A JSON object, as opposed to an array, a scalar or nothing. */
export type JsonObject = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A member of a JSON object by its own name only: `constructor` of `{}` is nothing. */
export function member(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
}

export function textMember(value: unknown, key: string): string | undefined {
  const found = member(value, key)
  return typeof found === 'string' ? found : undefined
}

export function listMember(value: unknown, key: string): readonly unknown[] {
  const found = member(value, key)
  return Array.isArray(found) ? found : []
}

/** Whether a JSON value is nested no deeper than this; looks no further than it must. */
export function isWithinDepth(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return depth > 0 && Object.values(value).every((inner) => isWithinDepth(inner, depth - 1))
}
