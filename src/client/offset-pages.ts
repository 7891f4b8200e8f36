import { ClientError } from './client-error.ts'
import {
  countField,
  type Envelope,
  httpPages,
  type ItemParser,
  listField,
  type PagingStyle,
  type Refuse,
} from './http-pages.ts'
import type { HttpOptions } from './json-request.ts'
import type { PageSource } from './page-source.ts'

export interface OffsetPagesOptions extends HttpOptions {
  readonly limit?: number
  readonly parameters?: { readonly offset?: string; readonly limit?: string }
  readonly fields?: {
    readonly items?: string
    readonly total?: string
    readonly offset?: string
    readonly hasMore?: string
  }
}

/**
 * Offset style, `{ items, total, offset, limit }`: the next offset counts the items that came, not those asked for.
 * The end is an empty page or what `has_more` says; without that field, the `total`; without either, only an empty page.
 */
export function offsetPages<T>(url: string | URL, options: OffsetPagesOptions & ItemParser<T>): PageSource<T>
export function offsetPages(url: string | URL, options?: OffsetPagesOptions): PageSource<unknown>
export function offsetPages(
  url: string | URL,
  options: OffsetPagesOptions & Partial<ItemParser<unknown>> = {},
): PageSource<unknown> {
  return httpPages(url, { parse: (item) => item, ...options }, offsetStyle(options))
}

function offsetStyle({ limit, parameters, fields }: OffsetPagesOptions): PagingStyle {
  const asked = { offset: 'offset', limit: 'limit', ...parameters }
  const names = { items: 'items', total: 'total', offset: 'offset', hasMore: 'has_more', ...fields }
  return {
    parameters: (position) => ({
      [asked.offset]: String(parseOffset(position)),
      ...(limit === undefined ? {} : { [asked.limit]: String(limit) }),
    }),
    read: (body, position, refuse) => {
      const offset = parseOffset(position)
      const echoed = countField(body, names.offset, refuse) ?? offset
      if (echoed !== offset)
        return refuse(`"${names.offset}" is ${echoed} but ${offset} was asked for: was the parameter read?`)
      const items = listField(body, names.items, refuse)
      const total = countField(body, names.total, refuse)
      const end = offset + items.length
      const isMore = flagField(body, names.hasMore, refuse) ?? (total === undefined || end < total)
      const next = isMore && items.length > 0 ? String(end) : null
      return total === undefined ? { items, next } : { items, next, total }
    },
  }
}

function parseOffset(position: string | null): number {
  const offset = Number(position ?? '0')
  if (position !== null && (!/^\d+$/.test(position) || !Number.isSafeInteger(offset)))
    throw new ClientError('invalid_position', 'a position in an offset list must be a whole number', {
      position,
    })
  return offset
}

/** Sent where the total is not exact, so it is the better word on where the list ends. */
function flagField(body: Envelope, name: string, refuse: Refuse): boolean | undefined {
  const value = body[name] ?? undefined
  if (value !== undefined && typeof value !== 'boolean') return refuse(`"${name}" must be true or false`)
  return value
}
