import { httpPages, type ItemParser, listField, type PagingStyle } from './http-pages.ts'
import type { HttpOptions } from './json-request.ts'
import type { PageSource } from './page-source.ts'

export interface CursorPagesOptions extends HttpOptions {
  readonly limit?: number
  readonly parameters?: { readonly cursor?: string; readonly limit?: string }
  /** `hasMore: null` is for a server that sends no such field. */
  readonly fields?: { readonly items?: string; readonly next?: string; readonly hasMore?: string | null }
}

/** Cursor style, `{ items, next_cursor, has_more }`: a null `next_cursor` is the end, and `has_more` must agree. */
export function cursorPages<T>(url: string | URL, options: CursorPagesOptions & ItemParser<T>): PageSource<T>
export function cursorPages(url: string | URL, options?: CursorPagesOptions): PageSource<unknown>
export function cursorPages(
  url: string | URL,
  options: CursorPagesOptions & Partial<ItemParser<unknown>> = {},
): PageSource<unknown> {
  return httpPages(url, { parse: (item) => item, ...options }, cursorStyle(options))
}

function cursorStyle({ limit, parameters, fields }: CursorPagesOptions): PagingStyle {
  const names = { cursor: 'cursor', limit: 'limit', ...parameters }
  const { items, next, hasMore } = { items: 'items', next: 'next_cursor', hasMore: 'has_more', ...fields }
  return {
    parameters: (position) => ({
      [names.cursor]: position,
      ...(limit === undefined ? {} : { [names.limit]: String(limit) }),
    }),
    read: (body, _position, refuse) => {
      const cursor = body[next]
      if (cursor !== null && typeof cursor !== 'string') return refuse(`"${next}" must be a string or null`)
      if (hasMore !== null && body[hasMore] !== (cursor !== null)) {
        if (typeof body[hasMore] !== 'boolean') return refuse(`"${hasMore}" must be true or false`)
        return refuse(
          cursor === null
            ? `"${hasMore}" is true but "${next}" is null: more pages are promised and none is named`
            : `"${hasMore}" is false but "${next}" names another page`,
        )
      }
      return { items: listField(body, items, refuse), next: cursor }
    },
  }
}
