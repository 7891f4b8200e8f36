import { randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import { rowId } from '../store/row-id.ts'
import type { Store, StoreSchema } from '../store/store.ts'
import type { AuditRecord } from './audit-line.ts'
import { createSessionMemory, findOpenSessions } from './ledger-open-sessions.ts'
import { type PutRows, putting } from './ledger-put.ts'
import { joined, type Spell, spellsOf } from './ledger-spells.ts'

export type SessionRow = Readonly<Record<keyof Spell | 'id', string | number | null>>

/** Finds the session of each credential on each surface, or opens one. */
export interface SessionBook {
  /** What is to be added to which session; undefined if the store must be asked. */
  readonly known: (records: readonly AuditRecord[]) => readonly SessionRow[] | undefined
  readonly found: (
    db: Kysely<StoreSchema>,
    dialect: Store['dialect'],
    records: readonly AuditRecord[],
  ) => Promise<readonly SessionRow[]>
}

/**
 * A revoked session takes what was still under way: its credential never works again, so nothing else can follow.
 */
export function createSessionBook(): SessionBook {
  const memory = createSessionMemory()

  function assign(spells: readonly Spell[], found: ReadonlyMap<Spell, string>): readonly SessionRow[] {
    const sessions = new Map<string, Spell>()
    for (const spell of spells) {
      const id = memory.idOf(spell) ?? found.get(spell) ?? rowId(spell.created_at, randomBytes(8))
      const before = sessions.get(id)
      const whole = before === undefined ? spell : joined(before, spell)
      sessions.set(id, whole)
      memory.remember(id, whole)
    }
    return Array.from(sessions, ([id, spell]) => ({ id, ...spell }))
  }

  return {
    known: (records) => {
      const spells = spellsOf(records)
      return spells.every((spell) => memory.idOf(spell) !== undefined) ? assign(spells, new Map()) : undefined
    },
    found: async (db, dialect, records) => {
      const spells = spellsOf(records)
      const strange = spells.filter((spell) => memory.idOf(spell) === undefined)
      return assign(spells, await findOpenSessions(db, dialect, strange))
    },
  }
}

/** Adds to a session, or opens it. */
export const putSessions: PutRows<keyof SessionRow> = putting({
  table: 'sessions',
  columns: [
    ['id', 'text'],
    ['created_at', 'bigint'],
    ['last_seen_at', 'bigint'],
    ['surface', 'text'],
    ['principal', 'text'],
    ['principal_name', 'text'],
    ['issuer', 'text'],
    ['client', 'text'],
    ['credential_kind', 'text'],
    ['credential_id', 'text'],
    ['credential_expires_at', 'bigint'],
    ['revision', 'text'],
    ['calls', 'bigint'],
    ['denials', 'bigint'],
    ['tokens_in', 'bigint'],
    ['tokens_out', 'bigint'],
  ],
  whenThere: `on conflict (id) do update set
    last_seen_at = case when excluded.last_seen_at > sessions.last_seen_at
      then excluded.last_seen_at else sessions.last_seen_at end,
    credential_expires_at = case when excluded.last_seen_at >= sessions.last_seen_at
      then excluded.credential_expires_at else sessions.credential_expires_at end,
    principal_name = coalesce(excluded.principal_name, sessions.principal_name),
    revision = excluded.revision, calls = sessions.calls + excluded.calls,
    denials = sessions.denials + excluded.denials, tokens_in = sessions.tokens_in + excluded.tokens_in,
    tokens_out = sessions.tokens_out + excluded.tokens_out`,
})
