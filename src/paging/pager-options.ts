import { Failure } from '../failure/failure.ts'
import { canonicalJson } from './canonical-json.ts'
import { fingerprint } from './fingerprint.ts'
import type { LimitRule } from './page-number.ts'
import { checkSort, type Sort, sortSignature } from './sort.ts'
import type { TokenCodec } from './token-codec.ts'

export type PageStyle = 'offset' | 'cursor' | 'page-token'

/** `estimate` is the planner's guess; where the engine makes none, a bounded count takes its place. */
export type TotalRule = 'none' | 'exact' | 'estimate' | { readonly atMost: number }

/** Where the metadata of a page is put; at least one of body and link. */
export interface Placement {
  readonly body: boolean
  readonly link: boolean
  readonly totalCount: boolean
}

/** The names on the wire. `limit: null` is a list whose page size is ours alone. */
export interface Names {
  readonly limit: string | null
  readonly offset: string
  readonly token: string
  readonly items: string
  readonly next: string
  readonly total: string
}

export interface PagerOptions<Column extends string> {
  /** Names the list inside tokens. Change it when the meaning of the order changes in a way the keys do not show. */
  readonly id: string
  readonly style: PageStyle
  /** The orders a caller may ask for by name; the first is the default. */
  readonly sorts: Readonly<Record<string, Sort<Column>>>
  /** Required by cursor and page-token style. */
  readonly tokens?: TokenCodec
  readonly limit?: Partial<Omit<LimitRule, 'zero'>>
  /** Offset style: how deep one may jump. */
  readonly maximumOffset?: number
  readonly total?: TotalRule
  readonly placement?: Partial<Placement>
  readonly names?: Partial<Names>
  /** A column that grows with time: later pages show nothing newer than the first page could. */
  readonly asOf?: Column
  /** Tokens work only for the principal they were given to. */
  readonly isPrivate?: boolean
}

export interface PagerLayout {
  readonly style: PageStyle
  readonly names: Names
  readonly placement: Placement
}

/** One of the list's orders, with the fingerprint that binds a token to both. */
export interface ListOrder {
  readonly sort: Sort
  readonly fingerprint: Buffer
}

export interface PagerSettings extends PagerLayout {
  readonly id: string
  readonly orders: ReadonlyMap<string, ListOrder>
  readonly defaultSort: string
  readonly tokens: TokenCodec | null
  readonly limit: LimitRule
  readonly maximumOffset: number
  readonly total: TotalRule
  readonly asOf: string | null
  readonly isPrivate: boolean
}

const styles = {
  offset: {
    names: {
      limit: 'limit',
      offset: 'offset',
      token: 'cursor',
      items: 'items',
      next: 'next',
      total: 'total',
    },
    limit: { default: 50, maximum: 100, overMaximum: 'refuse', zero: 'refuse' },
    total: 'exact',
  },
  cursor: {
    names: {
      limit: 'limit',
      offset: 'offset',
      token: 'cursor',
      items: 'items',
      next: 'next_cursor',
      total: 'total',
    },
    limit: { default: 20, maximum: 100, overMaximum: 'refuse', zero: 'refuse' },
    total: 'none',
  },
  'page-token': {
    names: {
      limit: 'pageSize',
      offset: 'offset',
      token: 'pageToken',
      items: 'items',
      next: 'nextPageToken',
      total: 'totalSize',
    },
    limit: { default: 50, maximum: 1000, overMaximum: 'lower', zero: 'default' },
    total: 'none',
  },
} as const satisfies Record<PageStyle, { names: Names; limit: LimitRule; total: TotalRule }>

export function settle<Column extends string>(options: PagerOptions<Column>): PagerSettings {
  const style = styles[options.style]
  const [defaultSort] = Object.keys(options.sorts)
  if (defaultSort === undefined) refuse(options, 'needs at least one sort')
  const settings: PagerSettings = {
    id: options.id,
    style: options.style,
    orders: new Map(
      Object.entries<Sort>(options.sorts).map(([name, sort]) => [name, order(options, name, sort)]),
    ),
    defaultSort,
    tokens: options.tokens ?? null,
    limit: { ...style.limit, ...options.limit },
    maximumOffset: options.maximumOffset ?? 10_000,
    total: options.total ?? style.total,
    placement: { body: true, link: true, totalCount: true, ...options.placement },
    names: { ...style.names, ...options.names },
    asOf: options.asOf ?? null,
    isPrivate: options.isPrivate ?? false,
  }
  checkSettings(settings)
  return settings
}

function order(
  options: { id: string; style: PageStyle; asOf?: string },
  name: string,
  sort: Sort,
): ListOrder {
  checkSort(name, sort)
  const { id, style, asOf = null } = options
  if (asOf !== null && sort.every((key) => key.column !== asOf))
    refuse(options, `has the sort "${name}" without its \`asOf\` column`)
  return { sort, fingerprint: fingerprint(canonicalJson([id, style, asOf, sortSignature(sort)])) }
}

function checkSettings(settings: PagerSettings): void {
  const { limit, placement, asOf } = settings
  if (settings.style !== 'offset' && settings.tokens === null)
    refuse(settings, 'needs `tokens` for its style')
  if (settings.style === 'offset' && asOf !== null) refuse(settings, 'has no token to carry `asOf` in')
  if (!(isCount(limit.default) && limit.default <= limit.maximum && isCount(limit.maximum)))
    refuse(settings, 'needs 1 ≤ default limit ≤ maximum, whole numbers')
  if (!(settings.maximumOffset >= 0)) refuse(settings, 'needs a maximum offset of 0 or more')
  if (typeof settings.total === 'object' && !isCount(settings.total.atMost))
    refuse(settings, 'needs a whole number of 1 or more as its bounded total')
  checkNames(settings)
  if (!placement.body && !placement.link) refuse(settings, 'hides where the next page is')
}

function checkNames(settings: PagerSettings): void {
  const { names, style } = settings
  const place = style === 'offset' ? names.offset : names.token
  const members = {
    offset: ['offset', 'limit', 'has_more'],
    cursor: [names.next, 'has_more'],
    'page-token': [names.next],
  }
  if (names.limit === place || hasTwice([names.items, names.total, ...members[style]]))
    refuse(settings, 'gives one name to two things')
}

function hasTwice(names: readonly string[]): boolean {
  return new Set(names).size < names.length
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 1
}

function refuse(pager: { readonly id: string }, what: string): never {
  throw new Failure('misconfigured', `pager "${pager.id}" ${what}`)
}
