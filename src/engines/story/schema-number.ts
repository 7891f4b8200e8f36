import { Failure } from '../../failure/failure.ts'
import type { SchemaNode } from './schema-node.ts'

/** Without bounds of its own a number has at most three digits before the point. */
const span = 999

/** Narrows the bounds to whole numbers of one sign, not negative where that is possible. */
export function numberNode(
  schema: Readonly<Record<string, unknown>>,
  isInteger: boolean,
  path: string,
): SchemaNode {
  const least = Math.max(
    Math.ceil(boundOf(schema.minimum, Number.NEGATIVE_INFINITY, `${path}.minimum`)),
    Math.floor(boundOf(schema.exclusiveMinimum, Number.NEGATIVE_INFINITY, `${path}.exclusiveMinimum`)) + 1,
  )
  const most = Math.min(
    Math.floor(boundOf(schema.maximum, Number.POSITIVE_INFINITY, `${path}.maximum`)),
    Math.ceil(boundOf(schema.exclusiveMaximum, Number.POSITIVE_INFINITY, `${path}.exclusiveMaximum`)) - 1,
  )
  if (least > most)
    throw new Failure('invalid-request', `${path} must leave room for a whole number between its bounds`, {
      field: path,
    })
  if (most < 0) return { kind: 'number', isInteger, least: Math.max(least, most - span), most }
  const lower = Math.max(least, 0)
  return { kind: 'number', isInteger, least: lower, most: Math.min(most, lower + span) }
}

function boundOf(value: unknown, otherwise: number, path: string): number {
  if (value === undefined) return otherwise
  if (typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER) return value
  throw new Failure('invalid-request', `${path} must be a number that JSON can hold exactly`, { field: path })
}
