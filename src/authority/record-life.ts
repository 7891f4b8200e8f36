import type { Grant } from 'oidc-provider'
import type { Clock } from '../store/clock.ts'
import type { Store } from '../store/store.ts'
import { recordKey } from './record-row.ts'

export interface Prolonging {
  readonly kind: 'Grant' | 'RefreshToken' | 'Client'
  readonly id: string
  readonly seconds: number
}

/** Moves the end of a record that is used; one that is gone stays gone, and an end that is far enough is left alone. */
export async function prolong(store: Store, now: Clock, { kind, id, seconds }: Prolonging): Promise<void> {
  const time = now()
  await store.db
    .updateTable('authority_records')
    // A client that is used has no name as an unused one.
    .set({ expires_at: time + seconds * second, ...(kind === 'Client' ? { uid: null } : {}) })
    .where('kind', '=', kind)
    .where('id', '=', recordKey(kind, id))
    .where('expires_at', '>', time)
    .where('expires_at', '<', time + (seconds - slack) * second)
    .execute()
}

/** Writes what a grant holds now; one that was taken back or written meanwhile stays as it is. */
export async function updateGrant(
  { db }: Store,
  { jti, resources, rejected }: Pick<Grant, 'jti' | 'resources' | 'rejected'>,
): Promise<void> {
  const stored = await db
    .selectFrom('authority_records')
    .select('payload')
    .where('kind', '=', 'Grant')
    .where('id', '=', jti)
    .executeTakeFirst()
  if (stored === undefined) return
  await db
    .updateTable('authority_records')
    .set({ payload: JSON.stringify({ ...JSON.parse(stored.payload), resources, rejected }) })
    .where('kind', '=', 'Grant')
    .where('id', '=', jti)
    .where('payload', '=', stored.payload)
    .execute()
}

const second = 1_000_000
/** One write an hour is enough. */
const slack = 3600
