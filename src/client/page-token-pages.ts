import {
  type Envelope,
  httpPages,
  type ItemParser,
  listField,
  type PagingStyle,
  type Refuse,
} from './http-pages.ts'
import type { HttpOptions } from './json-request.ts'
import type { PageSource } from './page-source.ts'

export interface PageTokenPagesOptions extends HttpOptions {
  readonly pageSize?: number
  readonly parameters?: { readonly pageToken?: string; readonly pageSize?: string }
  readonly fields?: { readonly items?: string; readonly next?: string }
}

/** Page-token style: a `nextPageToken` that is absent, null or "" is the end. */
export function pageTokenPages<T>(
  url: string | URL,
  options: PageTokenPagesOptions & ItemParser<T>,
): PageSource<T>
export function pageTokenPages(url: string | URL, options?: PageTokenPagesOptions): PageSource<unknown>
export function pageTokenPages(
  url: string | URL,
  options: PageTokenPagesOptions & Partial<ItemParser<unknown>> = {},
): PageSource<unknown> {
  return httpPages(url, { parse: (item) => item, ...options }, pageTokenStyle(options))
}

function pageTokenStyle({ pageSize, parameters, fields }: PageTokenPagesOptions): PagingStyle {
  const names = { pageToken: 'pageToken', pageSize: 'pageSize', ...parameters }
  const { items, next } = { items: 'items', next: 'nextPageToken', ...fields }
  return {
    parameters: (position) => ({
      [names.pageToken]: position,
      ...(pageSize === undefined ? {} : { [names.pageSize]: String(pageSize) }),
    }),
    read: (body, _position, refuse) => {
      const token = body[next] ?? ''
      if (typeof token !== 'string') return refuse(`"${next}" must be a string`)
      return { items: itemsOrNone(body, items, refuse), next: token === '' ? null : token }
    },
  }
}

/** Protocol-buffer JSON leaves an empty list out; a body with another list in it is a wrong field name instead. */
function itemsOrNone(body: Envelope, name: string, refuse: Refuse): readonly unknown[] {
  if (body[name] !== undefined) return listField(body, name, refuse)
  const other = Object.keys(body).find((key) => Array.isArray(body[key]))
  return other === undefined ? [] : refuse(`it has a list "${other}" but no "${name}": set \`fields.items\``)
}
