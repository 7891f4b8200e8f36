import type { Clock } from '../store/clock.ts'
import type { Store } from '../store/store.ts'

/** Which grant holds what a person has allowed a client, so that they are not asked for the same twice. */
export interface Consents {
  readonly findGrantId: (userId: string, clientId: string) => Promise<string | undefined>
  readonly rememberGrant: (userId: string, clientId: string, grantId: string) => Promise<void>
}

export function createConsents(store: Store, now: Clock): Consents {
  return {
    findGrantId: async (userId, clientId) => {
      const row = await store.db
        .selectFrom('authority_consents')
        .select('grant_id')
        .where('user_id', '=', userId)
        .where('client_id', '=', clientId)
        .executeTakeFirst()
      return row?.grant_id
    },
    rememberGrant: async (userId, clientId, grantId) => {
      const at = now()
      await store.db
        .insertInto('authority_consents')
        .values({ user_id: userId, client_id: clientId, grant_id: grantId, created_at: at, updated_at: at })
        .onConflict((conflict) =>
          conflict.columns(['user_id', 'client_id']).doUpdateSet({ grant_id: grantId, updated_at: at }),
        )
        .execute()
    },
  }
}
