import type { Kysely } from 'kysely'
import { Failure } from '../failure/failure.ts'
import {
  type CredentialsFile,
  type CredentialsPlace,
  type KeyOwner,
  makeKey,
  universeHost,
} from './service-account-file.ts'
import { validKeys } from './service-account-lookup.ts'
import { endOpaqueTokens } from './service-account-tokens.ts'
import type { StoreSchema } from './store.ts'
import type { ServiceAccountKey } from './tables-service-accounts.ts'

export interface KeyRotation extends CredentialsPlace {
  /** How long the keys of before still work. */
  readonly overlapSeconds: number
}

export interface KeyOrder {
  readonly account: KeyOwner
  readonly place: CredentialsPlace
  readonly now: number
  /** When it is given, the other keys end after so long. */
  readonly overlapSeconds?: number
}

export async function addKey(
  db: Kysely<StoreSchema>,
  { account, place, now, overlapSeconds }: KeyOrder,
): Promise<CredentialsFile> {
  universeHost(place.universeDomain)
  checkOverlap(overlapSeconds)
  const { row, file } = await makeKey(account, place, now)
  await db.transaction().execute(async (transaction) => {
    const valid = await validKeys(transaction, account.id, now)
    if (valid.length >= mostKeys) {
      const wrong = `${account.email} has ${mostKeys} keys that work, which is the most; revoke one first`
      throw new Failure('conflict', wrong)
    }
    if (overlapSeconds !== undefined) {
      const end = now + Math.floor(overlapSeconds * microseconds)
      await transaction
        .updateTable('service_account_keys')
        .set({ expires_at: end })
        .where('service_account_id', '=', account.id)
        .where((expression) =>
          expression.or([expression('expires_at', 'is', null), expression('expires_at', '>', end)]),
        )
        .execute()
    }
    if (overlapSeconds === 0) await endOpaqueTokens(transaction, account.email)
    await transaction.insertInto('service_account_keys').values(row).execute()
  })
  return file
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
