import { mostValues } from '../config/most-values.ts'
import { Failure } from '../failure/failure.ts'
import { excessOf } from '../http/json-bounds.ts'

/** Parses a body; refuses what is deeper or has more in it than any honest message, and keys that poison prototypes. */
export function parseJson(text: string): unknown {
  // Before parsing: a deep value would exhaust the stack of whoever walks it.
  const excess = excessOf(text, bounds)
  if (excess !== undefined) throw new Failure('invalid-request', complaints[excess], invalid)
  const value = parse(text)
  if (mayPoison.test(text) && isPoisonous(value))
    throw new Failure(
      'invalid-request',
      'the keys __proto__ and constructor.prototype are not taken',
      invalid,
    )
  return value
}

const bounds = { levels: 64, values: mostValues } as const
const complaints = {
  levels: `the body may nest at most ${bounds.levels} levels`,
  values: `the body may hold at most ${bounds.values} values`,
} as const
const invalid = { reason: 'invalid_message' } as const

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Failure('invalid-request', 'the body must be JSON', { cause, reason: 'parse_error' })
  }
}

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
