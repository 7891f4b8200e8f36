import { type Adapter, type AdapterFactory, errors } from 'oidc-provider'
import type { Clock } from '../store/clock.ts'
import { isStorable } from '../store/storable-text.ts'
import type { Store } from '../store/store.ts'
import type { AuthorityRecord } from '../store/tables-authority.ts'
import { bearerKinds, payloadOf, recordKey, rowOf } from './record-row.ts'
import type { Seal } from './sealed.ts'

/** What the provider keeps, in the store: one row for each model's record. */
export function recordsAdapter(options: {
  readonly store: Store
  readonly now: Clock
  readonly seal: Seal
}): AdapterFactory {
  const { store, now, seal } = options
  return (kind) => adapterFor(kind, { db: store.db, now, seal })
}

interface Records {
  readonly db: Store['db']
  readonly now: Clock
  readonly seal: Seal
}

function adapterFor(kind: string, { db, now, seal }: Records): Adapter {
  const keyOf = (id: string): string => recordKey(kind, id)
  const read = async (column: 'id' | 'uid', value: string): Promise<AuthorityRecord | undefined> => {
    if (!isStorable(value)) return undefined
    return db
      .selectFrom('authority_records')
      .selectAll()
      .where('kind', '=', kind)
      .where(column, '=', value)
      .where((is) => is.or([is('expires_at', 'is', null), is('expires_at', '>', now())]))
      .$if(kind === 'Session', (query) => query.where('consumed_at', 'is', null))
      .executeTakeFirst()
  }
  return {
    upsert: async (id, payload, expiresIn) => {
      const row = rowOf(payload, { kind, seal, lifetime: expiresIn, time: now() })
      await db
        .insertInto('authority_records')
        .values({ kind, id: keyOf(id), consumed_at: null, ...row })
        .onConflict((conflict) => {
          const update = conflict.columns(['kind', 'id']).doUpdateSet(row)
          return kind === 'Session' ? update.where('authority_records.consumed_at', 'is', null) : update
        })
        .execute()
    },
    find: async (id) => payloadOf(await read('id', keyOf(id)), { seal, id }),
    findByUid: async (uid) => payloadOf(await read('uid', uid), { seal }),
    findByUserCode: async () => undefined,
    consume: (id) => consume({ db, now }, kind, keyOf(id)),
    destroy: async (id) => {
      if (kind === 'Session') return endSession({ db, now }, keyOf(id))
      await db.deleteFrom('authority_records').where('kind', '=', kind).where('id', '=', keyOf(id)).execute()
    },
    revokeByGrantId: async (grantId) => {
      await db
        .deleteFrom('authority_records')
        .where('kind', '=', kind)
        .where('grant_id', '=', grantId)
        .execute()
    },
  }
}

/** Every request writes its session at its end, so a trace is left for a while that keeps others from bringing it back. */
async function endSession({ db, now }: Pick<Records, 'db' | 'now'>, key: string): Promise<void> {
  const time = now()
  await db
    .updateTable('authority_records')
    .set({ consumed_at: time, expires_at: time + sessionTrace, payload: '{}', account_id: null, uid: null })
    .where('kind', '=', 'Session')
    .where('id', '=', key)
    .execute()
}

/** Longer than any request takes, in microseconds. */
const sessionTrace = 600 * 1_000_000

/** Exactly one caller gets through; for all others it is a code or token used twice, and everything from it ends. */
async function consume({ db, now }: Pick<Records, 'db' | 'now'>, kind: string, key: string): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable('authority_records')
    .set({ consumed_at: now() })
    .where('kind', '=', kind)
    .where('id', '=', key)
    .where('consumed_at', 'is', null)
    .executeTakeFirst()
  if (numUpdatedRows > 0n) return
  const used = await db
    .selectFrom('authority_records')
    .select('grant_id')
    .where('kind', '=', kind)
    .where('id', '=', key)
    .executeTakeFirst()
  if (typeof used?.grant_id === 'string') await endGrant(db, used.grant_id)
  throw new errors.InvalidGrant(`${kind} was used at the same time by another request`)
}

async function endGrant(db: Store['db'], grantId: string): Promise<void> {
  await db
    .deleteFrom('authority_records')
    .where((is) =>
      is.or([
        is.and([is('kind', '=', 'Grant'), is('id', '=', grantId)]),
        is.and([is('grant_id', '=', grantId), is('kind', 'in', [...bearerKinds])]),
      ]),
    )
    .execute()
}
