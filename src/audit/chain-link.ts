import type { AuditEvent } from '../store/tables-audit.ts'
import { columnsOf, parseRecord } from './audit-line.ts'
import { chainHash } from './chain-hash.ts'

/** A place in the chain: the number and the hash of an event. */
export interface ChainPlace {
  readonly seq: number
  readonly hash: string
}

export interface ChainFault {
  /** The number of the first event that is not as it was recorded. */
  readonly at: number
  readonly what: string
}

/** What is wrong with an event, seen from the one before it; undefined when it is as it was recorded. */
export function linkFault(previous: ChainPlace, event: AuditEvent): ChainFault | undefined {
  if (event.seq !== previous.seq + 1) return { at: previous.seq + 1, what: 'the event is missing' }
  const at = event.seq
  if (event.hash !== chainHash(previous.hash, event))
    return { at, what: 'the event, or the one before it, is not the one that was recorded' }
  const record = parseRecord(event.body)
  if (record === undefined) return { at, what: 'the event cannot be read' }
  const columns = columnsOf(record)
  for (const name of columnNames)
    if (event[name] !== columns[name]) return { at, what: `the column ${name} is not what the event says` }
  return undefined
}

const columnNames = [
  'principal',
  'issuer',
  'action',
  'decision',
  'surface',
] as const satisfies readonly (keyof ReturnType<typeof columnsOf>)[]
