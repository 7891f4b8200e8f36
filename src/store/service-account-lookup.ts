import { createPublicKey, type KeyObject } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Clock } from './clock.ts'
import { createRareTouch } from './rare-touch.ts'
import type { Store, StoreSchema } from './store.ts'
import type { ServiceAccount } from './tables-service-accounts.ts'

export interface ValidKey {
  readonly kid: string
  readonly publicKey: KeyObject
}

/** What it takes to check a token of a service account, and nothing with which one could be made. */
export interface ServiceAccountLookup {
  /** Disabled ones too: look at `disabled_at`. */
  readonly findByEmail: (email: string) => Promise<ServiceAccount | undefined>
  /** The keys that may have signed now: neither revoked nor expired. */
  readonly validKeys: (accountId: string) => Promise<readonly ValidKey[]>
  /** Notes that a key was used; written at most once a minute for each key. */
  readonly touch: (kid: string) => Promise<void>
}

export function createServiceAccountLookup({ db }: Store, now: Clock): ServiceAccountLookup {
  const touch = createRareTouch(now, ({ id, time, before }) =>
    db
      .updateTable('service_account_keys')
      .set({ last_used_at: time })
      .where('kid', '=', id)
      .where((where) => where.or([where('last_used_at', 'is', null), where('last_used_at', '<=', before)]))
      .execute(),
  )
  return {
    findByEmail: (email) => findByEmail(db, email),
    validKeys: (accountId) => validKeys(db, accountId, now()),
    touch: async (kid) => touch(kid),
  }
}

export function scopesOf(account: Pick<ServiceAccount, 'scopes'>): readonly string[] {
  return account.scopes === '' ? [] : account.scopes.split(' ')
}

export function findByEmail(db: Kysely<StoreSchema>, email: string): Promise<ServiceAccount | undefined> {
  return db.selectFrom('service_accounts').selectAll().where('email', '=', email).executeTakeFirst()
}

export async function validKeys(
  db: Kysely<StoreSchema>,
  accountId: string,
  now: number,
): Promise<readonly ValidKey[]> {
  const rows = await db
    .selectFrom('service_account_keys')
    .select(['kid', 'public_jwk'])
    .where('service_account_id', '=', accountId)
    .where('revoked_at', 'is', null)
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', now)]))
    .orderBy('created_at')
    .execute()
  return rows.map(({ kid, public_jwk }) => ({
    kid,
    publicKey: createPublicKey({ key: JSON.parse(public_jwk), format: 'jwk' }),
  }))
}
