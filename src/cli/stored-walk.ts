import { randomBytes } from 'node:crypto'
import type { ListOptions } from '../client/api/api-client.ts'
import { type Walk, walk } from '../client/walk.ts'
import type { Page } from '../paging/page.ts'
import type { PageContext, PageRequest } from '../paging/page-request.ts'
import { definePager, type Pager } from '../paging/pager.ts'
import type { Sort } from '../paging/sort.ts'
import { createTokenCodec } from '../paging/token-codec.ts'

export interface StoredList<Place extends object, Row, Item> {
  readonly id: string
  readonly sorts: Readonly<Record<string, Sort<keyof Place & string>>>
  readonly context?: PageContext
  readonly read: (list: { readonly pager: Pager<Place>; readonly request: PageRequest }) => Promise<Page<Row>>
  readonly view: (row: Row) => Item
}

/** A list of the store, walked as those over HTTP are. */
export function storedWalk<Place extends object, Row, Item>(
  list: StoredList<Place, Row, Item>,
  options: ListOptions = {},
): Walk<Item> {
  const pager = definePager<Place>({
    id: list.id,
    style: 'cursor',
    sorts: list.sorts,
    // The cursors do not leave this process.
    tokens: createTokenCodec({ secrets: [randomBytes(32).toString('base64')] }),
  })
  const limit = String(options.limit ?? 20)
  return walk(async (cursor) => {
    const request = pager.parse({ limit, cursor: cursor ?? undefined }, list.context)
    const { items, next } = await list.read({ pager, request })
    return { items: items.map(list.view), next }
  }, options)
}
