import { Failure } from '../failure/failure.ts'

/** Typed text as a JSON value of the schema; the same argument given several times is a list. */
export function readValue(texts: readonly string[], schema: unknown, where: string): unknown {
  const types = typesOf(schema)
  const [only = ''] = texts
  if (types.has('array') && !(texts.length === 1 && only.trimStart().startsWith('[')))
    return texts.map((text) => readOne(text, member(schema, 'items'), where))
  if (texts.length === 1) return readOne(only, schema, where)
  throw new Failure('invalid-request', `${where} is given ${texts.length} times, but the tool takes one`)
}

function readOne(text: string, schema: unknown, where: string): unknown {
  const choices: unknown = member(schema, 'enum')
  const chosen: unknown = Array.isArray(choices)
    ? choices.find((choice) => String(choice) === text)
    : undefined
  if (chosen !== undefined) return chosen
  const types = typesOf(schema)
  for (const [type, read] of readers) {
    const value = types.has(type) ? read(text) : undefined
    if (value !== undefined) return value
  }
  if (types.size === 0) return readers.get('object')?.(text) ?? text
  throw new Failure(
    'invalid-request',
    `${where} must be ${[...types].map(inWords).join(' or ')}, not "${text}"`,
  )
}

/** In this order: a text is what nothing else can be. */
const readers: ReadonlyMap<string, (text: string) => unknown> = new Map([
  ['null', (text: string): unknown => (text === 'null' ? null : undefined)],
  ['boolean', (text: string): unknown => booleans.get(text.toLowerCase())],
  ['integer', (text: string): unknown => numberIn(text, Number.isSafeInteger)],
  ['number', (text: string): unknown => numberIn(text, Number.isFinite)],
  ['array', (text: string): unknown => (text.trimStart().startsWith('[') ? json(text) : undefined)],
  ['object', (text: string): unknown => (/^\s*[[{]/.test(text) ? json(text) : undefined)],
  ['string', (text: string): unknown => text],
])

const booleans: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['yes', true],
  ['false', false],
  ['no', false],
])

function inWords(type: string): string {
  return names.get(type) ?? `a ${type}`
}

const names: ReadonlyMap<string, string> = new Map([
  ['null', 'null'],
  ['boolean', 'true or false'],
  ['integer', 'a whole number'],
  ['array', 'a JSON list'],
  ['object', 'a JSON object'],
])

/** All that it may be; empty where the schema does not say, or says it in ways that are not looked into. */
function typesOf(schema: unknown): ReadonlySet<string> {
  const type = member(schema, 'type')
  const own: readonly unknown[] = Array.isArray(type) ? type : [type]
  const kinds: unknown = member(schema, 'anyOf') ?? member(schema, 'oneOf')
  const below = Array.isArray(kinds) ? kinds.flatMap((kind) => [...typesOf(kind)]) : []
  return new Set([...own, ...below].filter((word) => typeof word === 'string'))
}

function member(schema: unknown, name: string): unknown {
  return typeof schema === 'object' && schema !== null && Object.hasOwn(schema, name)
    ? Reflect.get(schema, name)
    : undefined
}

function numberIn(text: string, isFitting: (number: number) => boolean): number | undefined {
  const number = /^\s*[-+]?[\d.]/.test(text) ? Number(text) : Number.NaN
  return isFitting(number) ? number : undefined
}

function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
