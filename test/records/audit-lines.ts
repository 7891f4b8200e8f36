import type { AuditCaller, AuditRecord } from '../../src/audit/audit-line.ts'
import { type Batch, createLedger, type Ledger } from '../../src/audit/ledger.ts'
import type { Store } from '../../src/store/store.ts'

/** 15 November 2025, midnight UTC. */
export const start = 1_763_164_800_000_000

export const alice: AuditCaller = {
  principal: 'alice',
  issuer: 'https://issuer.example',
  client: 'desk',
  credential: { kind: 'jwt', id: 'a'.repeat(32) },
  expires: start / 1_000_000 + 3600,
  held: ['demo:echo'],
}

export function recordOf(change: Partial<AuditRecord> = {}): AuditRecord {
  return {
    id: '019a84cf-c400-7000-8000-000000000001',
    time: start,
    surface: 'tools',
    action: 'tools/call',
    target: 'echo',
    decision: 'allow',
    reason: 'ok',
    status: 200,
    durationUs: 1250,
    needed: ['demo:echo'],
    requestId: 'req-1',
    revision: '2025-11-25',
    by: alice,
    ...change,
  }
}

export function lineOf(change: Partial<AuditRecord> = {}): string {
  return JSON.stringify(recordOf(change))
}

/** A ledger with a clock of its own and one spool, to which lines are added. */
export interface Book {
  readonly hand: { time: number }
  readonly ledger: Ledger
  readonly write: (lines: readonly string[]) => Promise<void>
}

export function bookOn(store: Store): Book {
  const hand = { time: start }
  const ledger = createLedger(store, () => hand.time)
  let from = 0
  const write = async (lines: readonly string[]): Promise<void> => {
    const batch: Batch = { spool: 'one', from, position: from + lines.length * 100, lines }
    await ledger.append(batch)
    from = batch.position
  }
  return { hand, ledger, write }
}
