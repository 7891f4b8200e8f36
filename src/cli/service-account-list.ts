import { randomBytes } from 'node:crypto'
import { definePager } from '../paging/pager.ts'
import { createTokenCodec } from '../paging/token-codec.ts'
import {
  createServiceAccounts,
  type ServiceAccountPlace,
  serviceAccountSort,
} from '../store/service-accounts.ts'
import type { ServiceAccount } from '../store/tables-service-accounts.ts'
import type { OpenedStore } from './with-store.ts'

/** All of them, oldest first, read page by page. */
export async function everyServiceAccount({ store, now }: OpenedStore): Promise<readonly ServiceAccount[]> {
  const accounts = createServiceAccounts(store, now)
  const pager = definePager<ServiceAccountPlace>({
    id: 'service-accounts',
    style: 'cursor',
    sorts: { oldest: serviceAccountSort },
    // The cursors do not leave this process.
    tokens: createTokenCodec({ secrets: [randomBytes(32).toString('base64')] }),
  })
  const all: ServiceAccount[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await accounts.list({ pager, request: pager.parse({ limit: '100', cursor }) })
    all.push(...page.items)
    cursor = page.next
  }
  return all
}
