import { CompiledQuery, type Kysely } from 'kysely'
import type { Store, StoreSchema } from '../store/store.ts'
import { idleAfter, type Spell, spellKey } from './ledger-spells.ts'

export interface SessionMemory {
  /** The session that a spell continues, as far as this process knows. */
  readonly idOf: (spell: Spell) => string | undefined
  readonly remember: (id: string, spell: Spell) => void
}

/** Saves most batches the question; a session that is gone from the store comes back with what is added to it. */
export function createSessionMemory(): SessionMemory {
  const known = new Map<string, { readonly id: string; readonly from: number; readonly to: number }>()
  return {
    idOf: (spell) => {
      const session = known.get(spellKey(spell))
      const continues =
        session !== undefined &&
        spell.created_at <= session.to + idleAfter &&
        spell.last_seen_at >= session.from - idleAfter
      return continues ? session.id : undefined
    },
    remember: (id, spell) => {
      const key = spellKey(spell)
      const before = known.get(key)
      const { created_at: from, last_seen_at: to } = spell
      known.delete(key)
      known.set(
        key,
        before?.id === id
          ? { id, from: Math.min(before.from, from), to: Math.max(before.to, to) }
          : { id, from, to },
      )
      if (known.size > mostKnown) for (const oldest of known.keys()) return void known.delete(oldest)
    },
  }
}

const mostKnown = 10_000

/** The sessions in the store that these spells continue. */
export async function findOpenSessions(
  db: Kysely<StoreSchema>,
  dialect: Store['dialect'],
  spells: readonly Spell[],
): Promise<ReadonlyMap<Spell, string>> {
  if (spells.length === 0) return new Map()
  const asked = spells.map((spell, place) => [
    place,
    spell.credential_kind,
    spell.credential_id,
    spell.surface,
    spell.created_at,
  ])
  const query: CompiledQuery<Found> = CompiledQuery.raw(lookups[dialect], [JSON.stringify(asked)])
  const { rows } = await db.executeQuery(query)
  const ids = new Map(rows.map(({ place, id }) => [place, id]))
  return new Map(
    spells.flatMap((spell, place) => {
      const id = ids.get(place) ?? null
      return id === null ? [] : [[spell, id]]
    }),
  )
}

interface Found {
  readonly place: number
  readonly id: string | null
}

/** The sessions of a credential on a surface follow each other, so the last that had begun by then is the only candidate. */
function lookup(spells: string): string {
  return `select place, (
      select case when sessions.last_seen_at >= spell.began - ${idleAfter} then sessions.id end from sessions
      where sessions.credential_id = spell.credential and sessions.surface = spell.surface
        and sessions.credential_kind = spell.kind and sessions.created_at <= spell.began + ${idleAfter}
      order by sessions.created_at desc limit 1
    ) as id from (${spells}) as spell`
}

const lookups = {
  sqlite: lookup(`select value->>0 as place, value->>1 as kind, value->>2 as credential, value->>3 as surface,
    value->>4 as began from json_each(?)`),
  postgres: lookup(`select (value->>0)::bigint as place, value->>1 as kind, value->>2 as credential,
    value->>3 as surface, (value->>4)::bigint as began from json_array_elements($1::json) as given(value)`),
} as const satisfies Record<Store['dialect'], string>
