import { Failure } from '../failure/failure.ts'
import type { Page, Relation } from './page.ts'
import type { PagerLayout } from './pager-options.ts'
import type { Parameter } from './query.ts'

/** The envelope of the page's style; a bare array where the list keeps its metadata out of the body. */
export function renderBody<Row>(page: Page<Row>): Readonly<Record<string, unknown>> | readonly Row[] {
  return page.layout.placement.body ? envelopes[page.layout.style](page) : page.items
}

/**
 * `Link` and `X-Total-Count`, where the list has them. `base` is the list's own address as callers reach it:
 * a path, or an absolute URL out of the configuration, never out of the request.
 */
export function renderHeaders(page: Page<unknown>, base: string): Readonly<Record<string, string>> {
  const { link, totalCount } = page.layout.placement
  return {
    ...(link ? { Link: linkHeader(page, base) } : {}),
    ...(totalCount && page.total?.kind === 'exact' ? { 'X-Total-Count': String(page.total.value) } : {}),
  }
}

const envelopes = {
  offset: (page) => ({
    [page.layout.names.items]: page.items,
    ...totalFields(page),
    offset: page.offset,
    limit: page.limit,
    ...(page.total?.kind === 'exact' ? {} : { has_more: page.more }),
  }),
  cursor: (page) => ({
    [page.layout.names.items]: page.items,
    [page.layout.names.next]: page.next,
    has_more: page.more,
    ...totalFields(page),
  }),
  'page-token': (page) => ({
    [page.layout.names.items]: page.items,
    ...(page.next === null ? {} : { [page.layout.names.next]: page.next }),
    ...totalFields(page),
  }),
} satisfies Record<PagerLayout['style'], (page: Page<unknown>) => Readonly<Record<string, unknown>>>

/** A total that is not exact says so beside it. */
function totalFields({ total, layout }: Page<unknown>): Readonly<Record<string, unknown>> {
  if (total === null) return {}
  const name = layout.names.total
  return { [name]: total.value, ...(total.kind === 'exact' ? {} : { [kindName(name)]: total.kind }) }
}

function kindName(total: string): string {
  return /[A-Z]/.test(total) ? `${total}Kind` : `${total}_kind`
}

const relations: readonly Relation[] = ['first', 'prev', 'next', 'last']

/** One relation per link, quoted, first of its attributes: RFC 8288 allows more, but common readers do not. */
function linkHeader(page: Page<unknown>, base: string): string {
  if (!isAddress.test(base))
    throw new Failure(
      'misconfigured',
      'the base of links must be a path or a URL, percent-encoded, without query and fragment',
    )
  return relations
    .flatMap((relation) => {
      const query = page.links[relation]
      return query === undefined ? [] : [`<${base}${queryText(query)}>; rel="${relation}"`]
    })
    .join(', ')
}

/** Printable, and none of " # < > ? \\ ^ ` { | }, which would end the link or begin something else. */
const isAddress = /^[\x21\x24-\x3b\x3d\x40-\x5b\x5d\x5f\x61-\x7a\x7e]+$/

function queryText(query: readonly Parameter[]): string {
  if (query.length === 0) return ''
  return `?${query.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&')}`
}

/** Tokens and numbers need no escape; to look costs a third of escaping nothing. */
function encoded(text: string): string {
  return /^[\w.~-]*$/.test(text) ? text : encodeURIComponent(text.toWellFormed())
}
