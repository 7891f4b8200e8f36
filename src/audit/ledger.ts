import { CompiledQuery, type Kysely } from 'kysely'
import { Failure } from '../failure/failure.ts'
import type { Clock } from '../store/clock.ts'
import type { Store, StoreSchema } from '../store/store.ts'
import { appendAtOnce, type ChainEnd } from './ledger-at-once.ts'
import { lockChain } from './ledger-chain.ts'
import { createRecordClock, type OnAhead } from './ledger-clock.ts'
import { createChainGuess } from './ledger-guess.ts'
import { insertEvents } from './ledger-insert.ts'
import { eventsOf } from './ledger-rows.ts'
import { createSessionBook, putSessions } from './ledger-sessions.ts'
import { textsOf } from './ledger-texts.ts'
import { putUsage, usageOf } from './ledger-usage.ts'

/** Lines of one spool, in their order. Positions count its bytes. */
export interface Batch {
  readonly spool: string
  /** Where the lines begin: how far the spool is in the store. */
  readonly from: number
  /** Where they end. */
  readonly position: number
  readonly lines: readonly string[]
}

export interface Ledger {
  /** All of it or nothing, and nothing twice: a batch that does not follow what is stored is a conflict. */
  readonly append: (batch: Batch) => Promise<void>
  /** How far the spool is in the store; 0 for one that is not known. */
  readonly positionOf: (spool: string) => Promise<number>
  /** For a spool that was read to its end and removed. */
  readonly forget: (spool: string) => Promise<void>
}

/** `onAhead` is told now and then while the record has times that are not yet, by which its lists and retention go. */
export function createLedger(store: Store, now: Clock, onAhead: OnAhead = () => undefined): Ledger {
  const { db, dialect } = store
  const timeAfter = createRecordClock(now, onAhead)
  const book = createSessionBook()
  const guess = createChainGuess()

  /** Undefined if nothing was added. */
  async function appendLocked(batch: Batch): Promise<ChainEnd | undefined> {
    return db.transaction().execute(async (transaction) => {
      const chain = await lockChain(transaction, dialect)
      const time = timeAfter(chain)
      await claim(transaction, dialect, { ...batch, time })
      const { events, records } = eventsOf(batch.lines, chain, time)
      await insertEvents(transaction, dialect, events)
      await putSessions.run(transaction, dialect, await book.found(transaction, dialect, records))
      await putUsage.run(transaction, dialect, usageOf(records))
      return events.at(-1)
    })
  }

  /** False if the chain has moved, or a session must be looked for. */
  async function appendGuessing(batch: Batch, end: ChainEnd): Promise<boolean> {
    const time = timeAfter(end)
    const { events, records } = eventsOf(batch.lines, end, time)
    const sessions = book.known(records)
    if (sessions === undefined) return false
    const isStored = await appendAtOnce(db, end, { ...batch, events, sessions, usage: usageOf(records) })
    if (isStored) guess.moved(events.at(-1))
    else guess.wasWrong()
    return isStored
  }

  return {
    append: async (batch) => {
      const end = dialect === 'postgres' ? guess.end() : undefined
      if (end !== undefined && (await appendGuessing(batch, end))) return
      guess.moved(await appendLocked(batch))
    },
    positionOf: async (spool) => {
      const query = db.selectFrom('audit_spools').select('position').where('id', '=', spool)
      return (await query.executeTakeFirst())?.position ?? 0
    },
    forget: async (spool) => {
      await db.deleteFrom('audit_spools').where('id', '=', spool).execute()
    },
  }
}

/** Two may read one spool, when one takes the other for dead: only one of them goes on. */
async function claim(db: Kysely<StoreSchema>, dialect: Store['dialect'], claimed: Claim): Promise<void> {
  const { spool, from, position, time } = claimed
  const query = CompiledQuery.raw(claims[dialect], [spool, position, time, from])
  const { numAffectedRows } = await db.executeQuery(query)
  if (numAffectedRows === 1n) return
  const wrong = `the spool ${spool} is not at ${from} in the store: read its position and go on from there`
  throw new Failure('conflict', wrong, { reason: 'spool_position' })
}

interface Claim extends Omit<Batch, 'lines'> {
  readonly time: number
}

const claims = textsOf(`insert into audit_spools (id, position, updated_at)
  select cast($1 as text), cast($2 as bigint), cast($3 as bigint)
  where cast($4 as bigint) = 0 or exists (select 1 from audit_spools where id = $1)
  on conflict (id) do update set position = excluded.position, updated_at = excluded.updated_at
  where audit_spools.position = $4`)
