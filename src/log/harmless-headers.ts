const harmless: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'allow',
  'cache-control',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'host',
  'mcp-protocol-version',
  'origin',
  'retry-after',
  'server',
  'transfer-encoding',
  'user-agent',
  'vary',
  'x-forwarded-proto',
  'x-request-id',
])

/** Only the headers that are known to hold no secret; every other one is left out. */
export function harmlessHeaders(headers: unknown): Record<string, string> {
  const kept = headerEntries(headers).filter(([name]) => harmless.has(name.toLowerCase()))
  return Object.fromEntries(kept.map(([name, value]) => [name.toLowerCase(), shortValue(value)]))
}

function headerEntries(headers: unknown): [string, unknown][] {
  if (Array.isArray(headers)) return pairs(headers)
  if (headers instanceof Headers || headers instanceof Map) return pairs([...headers])
  return typeof headers === 'object' && headers !== null ? Object.entries(headers) : []
}

/** Either `[[name, value], …]` or, as Node's `rawHeaders`, `[name, value, …]`. */
function pairs(items: readonly unknown[]): [string, unknown][] {
  const given: readonly (readonly unknown[])[] = items.every(Array.isArray)
    ? items
    : items.flatMap((name, index) => (index % 2 === 0 ? [[name, items[index + 1]]] : []))
  return given.flatMap(([name, value]): [string, unknown][] =>
    typeof name === 'string' ? [[name, value]] : [],
  )
}

/** Left out rather than cut: half of a secret is no longer found by its value. */
function shortValue(value: unknown): string {
  const text = Array.isArray(value) ? value.map(plainText).join(',') : plainText(value)
  return text.length <= 256 ? text : `[${text.length} characters]`
}

/** Of an object only its kind: its text may be made by what JSON calls `toString`. */
function plainText(value: unknown): string {
  return typeof value === 'object' && value !== null ? '[object]' : String(value)
}
