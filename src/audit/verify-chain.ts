import type { Kysely } from 'kysely'
import type { Store, StoreSchema } from '../store/store.ts'
import type { AuditChain, AuditEvent } from '../store/tables-audit.ts'
import { type ChainFault, type ChainPlace, linkFault } from './chain-link.ts'

export interface VerifyOptions {
  /** A place that was verified before, to go on from; the oldest event that is kept unless given. */
  readonly from?: ChainPlace | undefined
  /** A place that was noted elsewhere: the only thing that whoever can write to the store cannot forge. */
  readonly expect?: ChainPlace | undefined
  /** Told after every page, how many events were verified. */
  readonly onProgress?: (events: number) => void
}

export type Verdict =
  | { readonly ok: true; readonly events: number; readonly head: ChainPlace }
  | ({ readonly ok: false } & ChainFault)

/** Reads all events of one moment, page by page, and stops at the first that is not as it was recorded. */
export async function verifyChain({ db, dialect }: Store, options: VerifyOptions = {}): Promise<Verdict> {
  const transaction = db.transaction().setAccessMode('read only')
  const snapshot = dialect === 'postgres' ? transaction.setIsolationLevel('repeatable read') : transaction
  return snapshot.execute(async (reader) => {
    const chain = await reader.selectFrom('audit_chain').selectAll().where('id', '=', 1).executeTakeFirst()
    if (chain === undefined) return { ok: false, at: 0, what: 'the row audit_chain is missing' }
    const known = [options.from, options.expect].find(
      (place) => place !== undefined && !isWithin(chain, place),
    )
    if (known !== undefined) return { ok: false, ...absence(chain, known) }
    return walk(reader, chain, options)
  })
}

function isWithin({ seq, trimmed_seq }: AuditChain, place: ChainPlace): boolean {
  return place.seq >= trimmed_seq && place.seq <= seq
}

function absence({ seq, trimmed_seq }: AuditChain, place: ChainPlace): ChainFault {
  return place.seq > seq
    ? { at: seq + 1, what: `the log ends before event ${place.seq}, which it once had` }
    : { at: place.seq, what: `retention has removed the events up to ${trimmed_seq}: name a later one` }
}

/** The end of what was verified. */
interface Verified extends ChainPlace {
  readonly events: number
  readonly bytes: number
  readonly created_at: number | undefined
}

async function walk(db: Kysely<StoreSchema>, chain: AuditChain, options: VerifyOptions): Promise<Verdict> {
  const start = options.from ?? { seq: chain.trimmed_seq, hash: chain.trimmed_hash }
  let verified: Verified = { ...start, events: 0, bytes: 0, created_at: undefined }
  for (let size = pageSize; size === pageSize; ) {
    const page = await pageAfter(db, verified.seq)
    for (const event of page) {
      const fault = differs(verified, options.expect) ?? linkFault(verified, event) ?? beyond(chain, event)
      if (fault !== undefined) return { ok: false, ...fault }
      verified = {
        seq: event.seq,
        hash: event.hash,
        events: verified.events + 1,
        bytes: verified.bytes + Buffer.byteLength(event.body),
        created_at: event.created_at,
      }
    }
    options.onProgress?.(verified.events)
    size = page.length
  }
  const fault = differs(verified, options.expect) ?? endFault(chain, verified, options.from === undefined)
  if (fault !== undefined) return { ok: false, ...fault }
  return { ok: true, events: verified.events, head: { seq: verified.seq, hash: verified.hash } }
}

const pageSize = 500

function pageAfter(db: Kysely<StoreSchema>, seq: number): Promise<readonly AuditEvent[]> {
  return db
    .selectFrom('audit_events')
    .selectAll()
    .where('seq', '>', seq)
    .orderBy('seq')
    .limit(pageSize)
    .execute()
}

function differs(place: ChainPlace, expected: ChainPlace | undefined): ChainFault | undefined {
  if (expected === undefined || place.seq !== expected.seq || place.hash === expected.hash) return undefined
  return { at: place.seq, what: 'the event has another hash than the one that is expected' }
}

function beyond({ seq }: AuditChain, event: AuditEvent): ChainFault | undefined {
  if (event.seq <= seq) return undefined
  return { at: event.seq, what: `the event lies beyond the end of the log, which audit_chain says is ${seq}` }
}

function endFault(chain: AuditChain, verified: Verified, isWhole: boolean): ChainFault | undefined {
  if (verified.seq < chain.seq)
    return { at: verified.seq + 1, what: `the event is missing, and all others up to ${chain.seq}` }
  const at = chain.seq
  if (verified.hash !== chain.hash) return { at, what: 'audit_chain has another hash of the last event' }
  if (verified.created_at !== undefined && verified.created_at !== chain.created_at)
    return { at, what: 'audit_chain has another time of the last event' }
  if (isWhole && verified.bytes !== chain.bytes)
    return { at, what: 'audit_chain has another size of all events' }
  return undefined
}
