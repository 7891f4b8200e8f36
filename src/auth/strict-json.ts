export type JsonObject = Readonly<Record<string, unknown>>

/** The object that these bytes spell, or undefined: for bad UTF-8, bad JSON, another value, or a member given twice. */
export function parseJsonObject(bytes: Uint8Array): JsonObject | undefined {
  try {
    const text = decoder.decode(bytes)
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) && !hasRepeatedMember(text) ? value : undefined
  } catch {
    return undefined
  }
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The object's own member, so that nothing is found on its prototype. */
export function member(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

/** A byte order mark is kept, and then is not JSON. */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

const marks = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:]/g

/** Two parsers may take two different values of a repeated member; the text is known to be JSON. */
function hasRepeatedMember(text: string): boolean {
  const open: (Set<unknown> | undefined)[] = []
  let last = '""'
  for (const [mark] of text.matchAll(marks)) {
    if (mark === '{') open.push(new Set())
    else if (mark === '[') open.push(undefined)
    else if (mark === '}' || mark === ']') open.pop()
    else if (mark !== ':') last = mark
    else {
      const name: unknown = JSON.parse(last)
      const names = open.at(-1)
      if (names?.has(name) === true) return true
      names?.add(name)
    }
  }
  return false
}
