import type { Kysely } from 'kysely'
import { Failure } from '../failure/failure.ts'
import { lockOwner } from './owner-lock.ts'
import {
  type CredentialsFile,
  type CredentialsPlace,
  type KeyOwner,
  makeKey,
  universeHost,
} from './service-account-file.ts'
import { validKeys } from './service-account-lookup.ts'
import { endOpaqueTokens } from './service-account-tokens.ts'
import type { Store, StoreSchema } from './store.ts'
import type { ServiceAccountKey } from './tables-service-accounts.ts'

export interface KeyRotation extends CredentialsPlace {
  /** How long the keys of before still work. */
  readonly overlapSeconds: number
}

export interface KeyOrder {
  readonly account: KeyOwner
  readonly place: CredentialsPlace
  readonly now: number
  /** The same moment on the wall clock. */
  readonly at: number
  /** When it is given, the other keys end after so long; with 0 they are revoked. */
  readonly overlapSeconds?: number
}

export async function addKey({ db, dialect }: Store, order: KeyOrder): Promise<CredentialsFile> {
  const { account, place, now, at, overlapSeconds } = order
  universeHost(place.universeDomain)
  checkOverlap(overlapSeconds)
  const { row, file } = await makeKey(account, place, now)
  await db.transaction().execute(async (transaction) => {
    await lockOwner(transaction, dialect, `keys of ${account.id}`)
    const valid = await validKeys(transaction, account.id, at)
    if (valid.length >= mostKeys) {
      const wrong = `${account.email} has ${mostKeys} keys that work, which is the most; revoke one first`
      throw new Failure('conflict', wrong)
    }
    if (overlapSeconds !== undefined) await endKeys(transaction, { ...order, overlapSeconds })
    await transaction.insertInto('service_account_keys').values(row).execute()
  })
  return file
}

async function endKeys(
  db: Kysely<StoreSchema>,
  { account, now, at, overlapSeconds }: KeyOrder & { readonly overlapSeconds: number },
): Promise<void> {
  const keys = db.updateTable('service_account_keys').where('service_account_id', '=', account.id)
  if (overlapSeconds === 0) {
    // Where clocks differ, an end at this moment is in the future of others.
    await keys.set({ revoked_at: now }).where('revoked_at', 'is', null).execute()
    await endOpaqueTokens(db, account.email)
    return
  }
  const end = at + Math.floor(overlapSeconds * microseconds)
  await keys
    .set({ expires_at: end })
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', end)]))
    .execute()
}

export function keysOf(db: Kysely<StoreSchema>, accountId: string): Promise<ServiceAccountKey[]> {
  return db
    .selectFrom('service_account_keys')
    .selectAll()
    .where('service_account_id', '=', accountId)
    .orderBy('created_at')
    .orderBy('kid')
    .execute()
}

export function newestKeysOf(
  db: Kysely<StoreSchema>,
  accountId: string,
  most: number,
): Promise<ServiceAccountKey[]> {
  return db
    .selectFrom('service_account_keys')
    .selectAll()
    .where('service_account_id', '=', accountId)
    .orderBy('created_at', 'desc')
    .orderBy('kid', 'desc')
    .limit(most)
    .execute()
}

export async function hasKey(db: Kysely<StoreSchema>, accountId: string, kid: string): Promise<boolean> {
  const query = db.selectFrom('service_account_keys').select('service_account_id').where('kid', '=', kid)
  return (await query.executeTakeFirst())?.service_account_id === accountId
}

/** Within a transaction. The authority does not know which key a token came of: all of the account end. */
export async function revokeKey(db: Kysely<StoreSchema>, kid: string, now: number): Promise<boolean> {
  const changed = await db
    .updateTable('service_account_keys')
    .set({ revoked_at: now })
    .where('kid', '=', kid)
    .where('revoked_at', 'is', null)
    .returning('service_account_id')
    .executeTakeFirst()
  if (changed === undefined) return false
  const query = db.selectFrom('service_accounts').select('email').where('id', '=', changed.service_account_id)
  const account = await query.executeTakeFirst()
  if (account !== undefined) await endOpaqueTokens(db, account.email)
  return true
}

function checkOverlap(seconds = 0): void {
  if (seconds >= 0 && seconds <= longestOverlap) return
  const wrong = `the overlap of two keys must be between 0 and ${longestOverlap} seconds`
  throw new Failure('invalid-request', wrong, { field: 'overlapSeconds' })
}

/** An assertion without `kid` is checked with every key. */
const mostKeys = 10
const longestOverlap = 90 * 86_400
const microseconds = 1_000_000
