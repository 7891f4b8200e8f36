import type { Kysely } from 'kysely'
import type { StoreSchema } from './store.ts'

/** What the authority gave an account and is asked about each time: no more of it is active. Signed tokens end by themselves. */
export async function endOpaqueTokens(db: Kysely<StoreSchema>, email: string): Promise<void> {
  await db
    .deleteFrom('authority_records')
    .where('kind', '=', 'ClientCredentials')
    .where('account_id', '=', email)
    .execute()
}
