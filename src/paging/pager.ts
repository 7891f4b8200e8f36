import { Failure } from '../failure/failure.ts'
import { type CountPlan, planCount, provenTotal } from './count-plan.ts'
import { positionToBytes } from './key-bytes.ts'
import { positionOf, refuseNulls } from './key-value.ts'
import type { Page, Total } from './page.ts'
import { offsetLinks, tokenLinks } from './page-links.ts'
import { type PagePlan, planPage } from './page-plan.ts'
import { type PageContext, type PageRequest, parsePage } from './page-request.ts'
import { type PagerOptions, type PagerSettings, settle } from './pager-options.ts'
import type { Query } from './query.ts'

/** One list: parse → plan → [the host reads] → finish → render. Pure: no driver, no framework, no clock of its own. */
export interface Pager<Key extends object> {
  /** Its pages may have to be counted; then page and count belong in one read transaction. */
  readonly counts: boolean
  /** Checks everything the caller sent, and throws a Failure that says what to do instead. */
  readonly parse: (query: Query, context?: PageContext) => PageRequest
  readonly plan: (request: PageRequest) => PagePlan
  /** The count that `finish` will need besides these rows; null when it needs none. */
  readonly count: (request: PageRequest, fetched: number) => CountPlan | null
  /** The only place where it is decided whether more follows, and where. */
  readonly finish: <Row extends Key>(request: PageRequest, rows: readonly Row[], total?: Total) => Page<Row>
  /** The same for rows that the host sifted itself: see `sift`. */
  readonly finishSifted: <Row extends Key>(request: PageRequest, sifted: Sifted<Row>) => Page<Row>
}

export interface Sifted<Row> {
  readonly items: readonly Row[]
  readonly more: boolean
  /** The rows between which everything was looked at; undefined when there was none. */
  readonly first: Row | undefined
  readonly last: Row | undefined
  readonly total?: Total
}

export function definePager<Key extends object>(options: PagerOptions<keyof Key & string>): Pager<Key> {
  const settings = settle(options)
  return {
    counts: settings.total !== 'none',
    parse: (query, context = {}) => parsePage(settings, query, context),
    plan: (request) => planPage(request, settings.asOf),
    count: (request, fetched) => planCount(settings, request, fetched),
    finish: (request, rows, total) => {
      refuseNulls(rows, request.sort)
      const proven = settings.total === 'none' ? null : provenTotal(request, rows.length)
      return close(
        settings,
        request,
        withoutExtra(request, rows, proven ?? seenAtLeast(request, rows, total)),
      )
    },
    finishSifted: (request, sifted) => {
      if (settings.style === 'offset')
        throw new Failure('internal', `list "${settings.id}" is in offset style and cannot be sifted`)
      return close(settings, request, sifted)
    },
  }
}

function withoutExtra<Row>(
  request: PageRequest,
  rows: readonly Row[],
  total: Total | undefined,
): Sifted<Row> {
  const kept = rows.slice(0, request.limit)
  const counted = total === undefined ? {} : { total }
  return { items: kept, more: rows.length > request.limit, first: kept[0], last: kept.at(-1), ...counted }
}

/** A guess made before the rows were read may be below what they show. */
function seenAtLeast(
  { offset }: PageRequest,
  rows: readonly unknown[],
  total: Total | undefined,
): Total | undefined {
  const seen = offset + rows.length
  return total === undefined || total.kind === 'exact' || total.value >= seen
    ? total
    : { ...total, value: seen }
}

function close<Row extends object>(
  settings: PagerSettings,
  request: PageRequest,
  sifted: Sifted<Row>,
): Page<Row> {
  if (settings.total !== 'none' && sifted.total === undefined)
    throw new Failure('internal', `list "${settings.id}" has to be counted: ask \`count\` what it needs`)
  const { limit, offset } = request
  const page = { offset, limit, total: sifted.total ?? null, layout: settings }
  if (settings.style === 'offset') {
    const { items, more } = sifted
    return { ...page, items, more, next: null, links: offsetLinks(settings, request, { ...page, more }) }
  }
  const tokens = tokensAround(settings, request, sifted)
  const items = request.backward ? sifted.items.toReversed() : sifted.items
  return {
    ...page,
    items,
    more: tokens.next !== null,
    next: tokens.next,
    links: tokenLinks(settings, request, tokens),
  }
}

/** Going back, whatever we came from follows; going on, whatever we came from lies before. */
function tokensAround<Row extends object>(
  settings: PagerSettings,
  request: PageRequest,
  { more, first, last }: Sifted<Row>,
): { readonly next: string | null; readonly prev: string | null } {
  const onward = more && last !== undefined ? last : undefined
  const back = request.position === null ? undefined : first
  const [following, previous] = request.backward ? [back, onward] : [onward, back]
  return {
    next: following === undefined ? null : mint(settings, request, { row: following, backward: false }),
    prev:
      previous === undefined || !settings.placement.link
        ? null
        : mint(settings, request, { row: previous, backward: true }),
  }
}

function mint(
  settings: PagerSettings,
  request: PageRequest,
  { row, backward }: { readonly row: object; readonly backward: boolean },
): string {
  if (settings.tokens === null) throw new Failure('internal', `list "${settings.id}" has no tokens`)
  const bound =
    request.asOf === undefined ? undefined : request.sort.find((key) => key.column === settings.asOf)
  const position = positionOf(row, request.sort)
  const bytes =
    bound === undefined
      ? positionToBytes(position, request.sort)
      : positionToBytes([...position, request.asOf ?? null], [...request.sort, bound])
  const { list, filters } = request
  return settings.tokens.mint(
    { backward, bounded: bound !== undefined, list, filters, position: bytes },
    request.audience,
  )
}
