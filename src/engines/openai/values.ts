/** What an upstream's JSON holds is anything until it is looked at. */
export type JsonObject = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function objectAt(value: JsonObject, name: string): JsonObject | undefined {
  const found = value[name]
  return isObject(found) ? found : undefined
}

/** The objects in a list; servers write an empty list as null, or leave it out. */
export function objectsAt(value: JsonObject, name: string): readonly JsonObject[] {
  const found = value[name]
  return Array.isArray(found) ? found.filter(isObject) : []
}

export function textAt(value: JsonObject, name: string): string | undefined {
  const found = value[name]
  return typeof found === 'string' ? found : undefined
}

/** Counts and indices: a whole number from zero on. */
export function countAt(value: JsonObject, name: string): number | undefined {
  const found = value[name]
  return typeof found === 'number' && Number.isSafeInteger(found) && found >= 0 ? found : undefined
}

export function numberAt(value: JsonObject, name: string): number | undefined {
  const found = value[name]
  return typeof found === 'number' && Number.isFinite(found) ? found : undefined
}

export function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
