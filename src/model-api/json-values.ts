import { mostValues } from '../config/most-values.ts'
import type { Failure } from '../failure/failure.ts'
import { hasTooManyValues } from '../http/json-bounds.ts'
import { invalidArgument } from './wire-failure.ts'

/** Asked before parsing, so that one body cannot fill the memory; large data in one text stays one value. */
export function valuesRefusal(text: string): Failure | undefined {
  if (!hasTooManyValues(text)) return undefined
  return invalidArgument(`Invalid JSON payload received. It may hold at most ${mostValues} values.`)
}
