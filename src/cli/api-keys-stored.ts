import type { ApiClient } from '../client/api/api-client.ts'
import type { ApiKey } from '../client/api/api-key.ts'
import { Failure } from '../failure/failure.ts'
import type { NewApiKey } from '../store/api-key-secret.ts'
import { apiKeyView } from '../store/api-key-view.ts'
import { type ApiKeyPlace, apiKeySort, createApiKeys } from '../store/api-keys.ts'
import type { ApiKey as ApiKeyRow } from '../store/tables-api-keys.ts'
import { readTimestamp } from '../store/timestamp.ts'
import { storedWalk } from './stored-walk.ts'
import type { OpenedStore } from './with-store.ts'

export type KeyPart = Pick<ApiClient, 'keys' | 'createKey' | 'rotateKey' | 'revokeKey'>

/** The API keys, without a gateway. */
export function storedApiKeys({ store, now }: OpenedStore): KeyPart {
  const kept = createApiKeys(store, now)
  return {
    keys: (options) => {
      const time = now()
      const view = (row: ApiKeyRow): ApiKey => apiKeyView(row, time)
      const sorts = { oldest: apiKeySort }
      return storedWalk<ApiKeyPlace, ApiKeyRow, ApiKey>(
        { id: 'api-keys', sorts, read: kept.list, view },
        options,
      )
    },
    createKey: async ({ name, principal, scopes, models, addresses, expires_at }) =>
      shownOnce(
        await kept.create({
          name,
          principal,
          scopes: scopes ?? undefined,
          models: models ?? undefined,
          addresses: addresses ?? undefined,
          expiresAt: readTimestamp(expires_at ?? ''),
        }),
      ),
    rotateKey: async (id, { overlap_seconds = 3600 } = {}) =>
      shownOnce(await kept.rotate(id, overlap_seconds)),
    revokeKey: async (id) => {
      if ((await kept.revoke(id)) || (await kept.findById(id)) !== undefined) return
      throw new Failure('not-found', `there is no key "${id}"; "postern keys list" shows their ids`)
    },
  }
}

function shownOnce({ row, key }: NewApiKey): ApiKey & { readonly key: string } {
  return { ...apiKeyView(row, row.created_at), key }
}
