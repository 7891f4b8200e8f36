import { hash } from 'node:crypto'
import type { AuditEvent } from '../store/tables-audit.ts'

/** A link of the chain: an event is bound to its place, to the time it was recorded and to all events before it. */
export function chainHash(
  previousHash: string,
  { seq, created_at, body }: Pick<AuditEvent, 'seq' | 'created_at' | 'body'>,
): string {
  return hash('sha256', `${previousHash}\n${seq}\n${created_at}\n${body}`)
}
