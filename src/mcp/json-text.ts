import { Failure } from '../failure/failure.ts'

/** Parses a body; refuses what nests deeper than any honest message, and keys that poison prototypes. */
export function parseJson(text: string): unknown {
  if (isDeeperThan(deepest, text))
    throw new Failure('invalid-request', `the body may nest at most ${deepest} levels`, {
      reason: 'invalid_message',
    })
  const value = parse(text)
  if (mayPoison.test(text) && isPoisonous(value))
    throw new Failure('invalid-request', 'the keys __proto__ and constructor.prototype are not taken', {
      reason: 'invalid_message',
    })
  return value
}

const deepest = 64

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Failure('invalid-request', 'the body must be JSON', { cause, reason: 'parse_error' })
  }
}

/** Before parsing, over the text: a deep value would exhaust the stack of whoever walks it. */
function isDeeperThan(limit: number, text: string): boolean {
  let depth = 0
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (code === quote) index = endOfString(text, index)
    else if (code === openBrace || code === openBracket) {
      depth += 1
      if (depth > limit) return true
    } else if (code === closeBrace || code === closeBracket) depth -= 1
  }
  return false
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end === -1 ? text.length : end
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0
  while (text.charCodeAt(at - 1 - backslashes) === backslash) backslashes += 1
  return backslashes % 2 === 1
}

const quote = 34
const backslash = 92
const openBracket = 91
const closeBracket = 93
const openBrace = 123
const closeBrace = 125

/** Either word, or an escape that could spell it. */
const mayPoison = /__proto__|constructor|\\u00/

function isPoisonous(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some(isPoisonous)
  if (Object.hasOwn(value, '__proto__')) return true
  return Object.entries(value).some(
    ([key, inner]) => (key === 'constructor' && hasPrototype(inner)) || isPoisonous(inner),
  )
}

function hasPrototype(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype')
}
