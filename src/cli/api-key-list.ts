import { randomBytes } from 'node:crypto'
import { definePager } from '../paging/pager.ts'
import { createTokenCodec } from '../paging/token-codec.ts'
import { type ApiKeyView, viewApiKey } from '../store/api-key-view.ts'
import { type ApiKeyPlace, apiKeySort, createApiKeys } from '../store/api-keys.ts'
import type { OpenedStore } from './with-store.ts'

/** All of them, oldest first, read page by page. */
export async function everyApiKey({ store, now }: OpenedStore): Promise<readonly ApiKeyView[]> {
  const keys = createApiKeys(store, now)
  const pager = definePager<ApiKeyPlace>({
    id: 'api-keys',
    style: 'cursor',
    sorts: { oldest: apiKeySort },
    // The cursors do not leave this process.
    tokens: createTokenCodec({ secrets: [randomBytes(32).toString('base64')] }),
  })
  const all: ApiKeyView[] = []
  const time = now()
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await keys.list({ pager, request: pager.parse({ limit: '100', cursor }) })
    all.push(...page.items.map((row) => viewApiKey(row, time)))
    cursor = page.next
  }
  return all
}
