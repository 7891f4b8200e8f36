import { randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import { rowId } from '../store/row-id.ts'
import type { Store, StoreSchema } from '../store/store.ts'
import type { Session } from '../store/tables-audit.ts'
import type { AuditRecord } from './audit-line.ts'
import { createSessionMemory, findOpenSessions } from './ledger-open-sessions.ts'
import { putting } from './ledger-put.ts'
import { joined, type Spell, spellsOf } from './ledger-spells.ts'

export type AddToSessions = (
  db: Kysely<StoreSchema>,
  dialect: Store['dialect'],
  records: readonly AuditRecord[],
) => Promise<void>

/**
 * Adds to the session of each credential on each surface, or opens one. A revoked session takes what was still under way:
 * its credential never works again, so nothing else can follow.
 */
export function addingToSessions(): AddToSessions {
  const memory = createSessionMemory()
  return async (db, dialect, records) => {
    const spells = spellsOf(records)
    const strange = spells.filter((spell) => memory.idOf(spell) === undefined)
    const found = await findOpenSessions(db, dialect, strange)
    const sessions = new Map<string, Spell>()
    for (const spell of spells) {
      const id = memory.idOf(spell) ?? found.get(spell) ?? rowId(spell.created_at, randomBytes(8))
      const before = sessions.get(id)
      const whole = before === undefined ? spell : joined(before, spell)
      sessions.set(id, whole)
      memory.remember(id, whole)
    }
    await putSessions(
      db,
      dialect,
      Array.from(sessions, ([id, spell]) => ({ id, ...spell })),
    )
  }
}

const putSessions = putting<Exclude<keyof Session, 'revoked_at'>>({
  table: 'sessions',
  columns: [
    ['id', 'text'],
    ['created_at', 'bigint'],
    ['last_seen_at', 'bigint'],
    ['surface', 'text'],
    ['principal', 'text'],
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
    revision = excluded.revision, calls = sessions.calls + excluded.calls,
    denials = sessions.denials + excluded.denials, tokens_in = sessions.tokens_in + excluded.tokens_in,
    tokens_out = sessions.tokens_out + excluded.tokens_out`,
})
