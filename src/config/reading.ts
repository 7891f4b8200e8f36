import type { Alias, Node } from 'yaml'
import type { Environment } from './environment.ts'
import type { Problem } from './problem.ts'
import type { SchemaKey } from './schema-keys.ts'

/** The state of reading one file. */
export interface Reading {
  /** Every key there is, to point to the right one. */
  readonly keys: readonly SchemaKey[]
  readonly env: Environment
  readonly anchored: ReadonlyMap<Alias, Node>
  readonly problems: Problem[]
  /** Where each key that was found stands, by its path. */
  readonly offsets: Map<string, number>
  /** How many values were read; aliases can make few lines into very many. */
  values: number
}

/** Where a value belongs, in the configuration and in the file. */
export interface Spot {
  readonly reading: Reading
  readonly path: string
  readonly offset: number
}

/** Stands where a value was refused, so that rules over several keys do not complain about it once more. */
export const refused: unique symbol = Symbol('refused')

/** The complaint completes a sentence that starts with the path: `server.port` `must be …`. */
export function refuse({ reading, path, offset }: Spot, complaint: string): typeof refused {
  reading.problems.push({
    offset,
    path,
    message: path === '' ? `the file ${complaint}` : `${path} ${complaint}`,
  })
  return refused
}
