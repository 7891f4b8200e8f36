import type { Kysely } from 'kysely'
import { revokeKey } from '../store/service-account-keys.ts'
import type { Store, StoreSchema } from '../store/store.ts'
import type { Session } from '../store/tables-audit.ts'
import { lockChain } from './ledger-chain.ts'

export interface Revocation {
  readonly time: number
  readonly find: (db: Kysely<StoreSchema>) => Promise<Session | undefined>
}

/** All in one transaction: a session that says it is revoked has no credential that works. */
export function revokeSession(
  { db, dialect }: Store,
  { time, find }: Revocation,
): Promise<'revoked' | 'already' | undefined> {
  return db.transaction().execute(async (transaction) => {
    await lockChain(transaction, dialect)
    const session = await find(transaction)
    if (session === undefined) return undefined
    if (session.revoked_at !== null) return 'already'
    await endCredential(transaction, session, time)
    await transaction
      .updateTable('sessions')
      .set({ revoked_at: time })
      .where('credential_id', '=', session.credential_id)
      .where('credential_kind', '=', session.credential_kind)
      .where('revoked_at', 'is', null)
      .execute()
    return 'revoked'
  })
}

async function endCredential(db: Kysely<StoreSchema>, session: Session, time: number): Promise<void> {
  const { credential_kind: kind, credential_id: id } = session
  const endOwn = ownCredentials.get(kind)
  if (endOwn !== undefined) await endOwn(db, id, time)
  const end = endOwn === undefined ? endOfToken(session, time) : time + newsLastsFor
  await db
    .insertInto('revoked_credentials')
    .values({ credential: `${kind}:${id}`, revoked_at: time, expires_at: end })
    // It may be one that had ended when the token came to work again.
    .onConflict((conflict) =>
      conflict.column('credential').doUpdateSet({ revoked_at: time, expires_at: end }),
    )
    .execute()
}

/** Only a JWT says itself when it ends: what an issuer is asked about it may extend, for as long as the token is used. */
function endOfToken(
  { credential_kind: kind, credential_expires_at: expires }: Session,
  time: number,
): number | null {
  return kind === 'jwt' || expires === null ? expires : Math.max(expires, time) + extendedFor
}

/** Longer than a token is of use to somebody whom this gateway refuses; it bounds the list, which every instance holds. */
const extendedFor = 90 * 86_400_000_000

/** Of a credential of our own this is but the news, which travels faster than what others remember of it. */
const newsLastsFor = 3_600_000_000

const ownCredentials: ReadonlyMap<
  string,
  (db: Kysely<StoreSchema>, id: string, time: number) => Promise<unknown>
> = new Map([
  ['api-key', revokeApiKey],
  ['service-account', revokeKey],
])

async function revokeApiKey(db: Kysely<StoreSchema>, id: string, time: number): Promise<boolean> {
  const changed = await db
    .updateTable('api_keys')
    .set({ revoked_at: time, updated_at: time })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  return changed.numUpdatedRows > 0n
}
