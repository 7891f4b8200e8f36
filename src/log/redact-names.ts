import { describeError } from './describe-error.ts'
import { describeReply, describeRequest } from './describe-http.ts'
import { harmlessHeaders } from './harmless-headers.ts'
import { isTokenCount, type NameKind, nameKind } from './name-kind.ts'

const redacted = '[redacted]'
const maxDepth = 8
const maxEntries = 100
const maxNodes = 2000
const maxText = 16_384
const maxTexts = 131_072

interface Walk {
  readonly ancestors: object[]
  nodes: number
  characters: number
}

/** A copy that is safe to write as JSON: secrets by name replaced, bodies left out, cycles and giants cut. */
export function redactNames(value: unknown): unknown {
  return visit(value, { ancestors: [], nodes: 0, characters: 0 })
}

function visit(value: unknown, walk: Walk): unknown {
  if (typeof value === 'string') return shortText(value, walk)
  if (typeof value === 'bigint') return value.toString()
  if (typeof value === 'function' || typeof value === 'symbol') return undefined
  if (typeof value !== 'object' || value === null) return value
  if (walk.ancestors.includes(value)) return '[circular]'
  walk.nodes += 1
  if (walk.ancestors.length >= maxDepth || walk.nodes > maxNodes) return '[cut]'
  walk.ancestors.push(value)
  try {
    return show(value, walk)
  } catch {
    return '[unreadable]'
  } finally {
    walk.ancestors.pop()
  }
}

/** Left out whole, because half of a secret is no longer found by its value. */
function shortText(text: string, walk: Walk): string {
  walk.characters += Math.min(text.length, maxText)
  const isShort = text.length <= maxText && walk.characters <= maxTexts
  return isShort ? text : `[text of ${text.length} characters left out]`
}

function show(value: object, walk: Walk): unknown {
  for (const kind of kinds) {
    const shown = kind(value, walk)
    if (shown !== undefined) return shown
  }
  return fields(ownEntries(value), walk)
}

/** The first row that knows the kind of object answers. */
const kinds: readonly ((value: object, walk: Walk) => unknown)[] = [
  (value, walk) => (value instanceof Error ? describeError(value, (part) => visit(part, walk)) : undefined),
  (value, walk) => (Array.isArray(value) ? list(value, walk) : undefined),
  (value, walk) => (value instanceof Set ? list([...value], walk) : undefined),
  (value, walk) => (value instanceof Map ? fields(mapEntries(value), walk) : undefined),
  (value) => (isBytes(value) ? `[${value.byteLength} bytes]` : undefined),
  (value) => (value instanceof URLSearchParams ? `[${value.size} query parameters]` : undefined),
  (value) => (value instanceof Headers ? harmlessHeaders(value) : undefined),
  (value) => describeRequest(value),
  (value) => describeReply(value),
  (value, walk) => jsonForm(value, walk),
]

function list(items: readonly unknown[], walk: Walk): unknown[] {
  const [name, value] = items
  if (
    items.length === 2 &&
    typeof name === 'string' &&
    typeof value === 'string' &&
    nameKind(name) === 'secret'
  ) {
    return [name, redacted]
  }
  const shown = items.slice(0, maxEntries).map((item, index) => {
    return isSecretFlag(items[index - 1]) ? redacted : visit(item, walk)
  })
  return items.length > maxEntries ? [...shown, `[${items.length - maxEntries} more]`] : shown
}

/** As in `['--token', 'x']`, the arguments of a command. */
function isSecretFlag(item: unknown): boolean {
  return typeof item === 'string' && item.startsWith('-') && nameKind(item) === 'secret'
}

function isBytes(value: object): value is { byteLength: number } {
  return ArrayBuffer.isView(value) || value instanceof ArrayBuffer || value instanceof SharedArrayBuffer
}

function jsonForm(value: object, walk: Walk): unknown {
  const toJson: unknown = Reflect.get(value, 'toJSON')
  return typeof toJson === 'function' ? (visit(Reflect.apply(toJson, value, []), walk) ?? null) : undefined
}

function mapEntries(map: ReadonlyMap<unknown, unknown>): [string, unknown][] {
  return Array.from(map, ([key, value]) => [typeof key === 'string' ? key : `[${typeof key}]`, value])
}

function ownEntries(value: object): [string, unknown][] {
  const names = Object.keys(value)
  const entries = names.slice(0, maxEntries).map((name): [string, unknown] => [name, read(value, name)])
  return names.length > maxEntries ? [...entries, ['…', `[${names.length - maxEntries} more]`]] : entries
}

function read(value: object, name: string): unknown {
  try {
    return Reflect.get(value, name)
  } catch {
    return '[unreadable]'
  }
}

function fields(entries: readonly [string, unknown][], walk: Walk): object {
  const label = entries.find(([name]) => name === 'name')?.[1]
  const isLabelledSecret = typeof label === 'string' && nameKind(label) === 'secret'
  return Object.fromEntries(
    entries.slice(0, maxEntries + 1).map(([name, value]) => {
      return [name, isLabelledSecret && name === 'value' ? redacted : field(name, value, walk)]
    }),
  )
}

function field(name: string, value: unknown, walk: Walk): unknown {
  if (value === null || value === undefined || typeof value === 'boolean') return value
  return byName[nameKind(name)](name, value, walk)
}

const byName = {
  secret: (name, value) => (isTokenCount(name, value) ? value : redacted),
  body: () => '[not logged]',
  headers: (_, value) => harmlessHeaders(value),
  plain: (_, value, walk) => visit(value, walk),
} as const satisfies Record<NameKind, (name: string, value: unknown, walk: Walk) => unknown>
