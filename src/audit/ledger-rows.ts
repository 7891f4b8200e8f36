import { randomBytes } from 'node:crypto'
import { rowId } from '../store/row-id.ts'
import type { AuditChain, AuditEvent } from '../store/tables-audit.ts'
import { type AuditRecord, columnsOf, noteLine, parseRecord } from './audit-line.ts'
import { chainHash } from './chain-hash.ts'

export interface NewEvents {
  readonly events: readonly AuditEvent[]
  readonly records: readonly AuditRecord[]
}

/** Numbers the lines and links them to the chain. */
export function eventsOf(
  lines: readonly string[],
  chain: Pick<AuditChain, 'seq' | 'hash'>,
  time: number,
): NewEvents {
  const events: AuditEvent[] = []
  const records: AuditRecord[] = []
  let { seq, hash } = chain
  for (const line of lines) {
    const { body, record } = readable(line, time)
    seq += 1
    hash = chainHash(hash, { seq, created_at: time, body })
    events.push({ seq, created_at: time, ...columnsOf(record), body, hash })
    records.push(record)
  }
  return { events, records }
}

/** A line that is none must not stop the log for ever, nor be lost without a word; its bytes may be anything, so they are not kept. */
function readable(line: string, time: number): { readonly body: string; readonly record: AuditRecord } {
  const record = parseRecord(line)
  if (record !== undefined) return { body: line, record }
  const body = noteLine({ id: rowId(time, randomBytes(8)), time, reason: 'unreadable', count: 1 })
  const note = parseRecord(body)
  if (note === undefined) throw new Error('a note of the log is no event')
  return { body, record: note }
}
