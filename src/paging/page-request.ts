import { Failure } from '../failure/failure.ts'
import { canonicalJson } from './canonical-json.ts'
import { fingerprint } from './fingerprint.ts'
import { positionFromBytes } from './key-bytes.ts'
import { exactValue, type KeyValue, type Position } from './key-value.ts'
import { pageFailure } from './page-failure.ts'
import { readLimit, readOffset } from './page-number.ts'
import type { ListOrder, PagerSettings } from './pager-options.ts'
import { type Parameter, parametersOf, type Query, repeated } from './query.ts'
import type { Sort, SortKey } from './sort.ts'

/** What the host knows about a request that the query does not say. */
export interface PageContext {
  /** A name out of `sorts`; the host decides how a caller asks for it. */
  readonly sort?: string
  /** The filters in force, defaults filled in: a token is good only together with the same ones. */
  readonly filters?: object
  /** Who is asking; required by a private list. */
  readonly principal?: string
  /** The newest value of the `asOf` column that a first page may show, such as the present moment. */
  readonly asOf?: KeyValue
}

/** A request that has been checked in full; nothing was read from the database yet. */
export interface PageRequest {
  readonly sort: Sort
  readonly limit: number
  readonly offset: number
  /** Strictly after this position; null for the first page. */
  readonly position: Position | null
  readonly backward: boolean
  readonly asOf: KeyValue | undefined
  readonly list: Buffer
  readonly filters: Buffer
  readonly audience: string
  /** The parameters that every link repeats. */
  readonly kept: readonly Parameter[]
}

const noFilters = fingerprint(canonicalJson({}))

export function parsePage(settings: PagerSettings, query: Query, context: PageContext): PageRequest {
  const { names } = settings
  const place = settings.style === 'offset' ? names.offset : names.token
  const all = parametersOf(query)
  const given = (name: string | null): unknown => single(all.filter((parameter) => parameter[0] === name))
  refuseOtherStyle(settings, place, all)
  const order = orderNamed(settings, context.sort ?? settings.defaultSort)
  const base = {
    sort: order.sort,
    limit:
      names.limit === null
        ? settings.limit.default
        : readLimit(settings.limit, names.limit, given(names.limit)),
    offset:
      settings.style === 'offset' ? readOffset(settings.maximumOffset, names.offset, given(names.offset)) : 0,
    list: order.fingerprint,
    filters: context.filters === undefined ? noFilters : fingerprint(canonicalJson(context.filters)),
    audience: audienceOf(settings, context),
    kept: all.flatMap(([name, value]) =>
      name !== place && typeof value === 'string' ? [[name, value] as const] : [],
    ),
  }
  return { ...base, ...placeOf(settings, context, { ...base, token: given(names.token) }) }
}

/** A place in another style's words would otherwise be passed over, and the first page come back instead. */
function refuseOtherStyle(
  { id }: PagerSettings,
  place: string,
  all: readonly (readonly [string, unknown])[],
): void {
  const word = placeWords.find((name) => name !== place && all.some(([given]) => given === name))
  if (word === undefined) return
  const reason = word === 'offset' ? 'invalid_offset' : 'invalid_cursor'
  throw pageFailure(reason, word, `list "${id}" is read by ${place}, not by ${word}`)
}

const placeWords = ['offset', 'cursor', 'pageToken'] as const

interface Place {
  readonly position: Position | null
  readonly backward: boolean
  readonly asOf: KeyValue | undefined
}

type Unplaced = Pick<PageRequest, 'sort' | 'list' | 'filters' | 'audience'> & { readonly token: unknown }

function placeOf(settings: PagerSettings, context: PageContext, request: Unplaced): Place {
  const boundKey = request.sort.find((key) => key.column === settings.asOf)
  if (settings.tokens === null || settings.style === 'offset' || isFirst(settings, request.token))
    return { position: null, backward: false, asOf: boundKey && firstBound(boundKey, context) }
  const name = settings.names.token
  const opened = settings.tokens.open(
    typeof request.token === 'string' ? request.token : '',
    request.audience,
  )
  if ('refused' in opened) throw refusals[opened.refused](name)
  const { content } = opened
  if (!content.list.equals(request.list)) throw mismatch(name, 'for another list or another order of it')
  if (!content.filters.equals(request.filters)) throw mismatch(name, 'with other filters')
  const bounded = content.bounded && boundKey !== undefined
  const keys = bounded ? [...request.sort, boundKey] : request.sort
  const values = positionFromBytes(content.position, keys)
  if (values === undefined || content.bounded !== bounded) throw refusals.invalid_cursor(name)
  const position = values.slice(0, request.sort.length)
  return { position, backward: content.backward, asOf: bounded ? values.at(-1) : undefined }
}

/** AIP-158 spells "no token" as an empty one; in cursor style an empty cursor is not one that we gave. */
function isFirst(settings: { readonly style: string }, token: unknown): boolean {
  return token === undefined || (token === '' && settings.style === 'page-token')
}

function firstBound(key: SortKey, context: PageContext): KeyValue {
  if (context.asOf === undefined)
    throw new Failure('internal', 'a list with `asOf` needs its newest value to begin')
  return exactValue(key, context.asOf)
}

const refusals = {
  invalid_cursor: (name: string) =>
    pageFailure('invalid_cursor', name, `${name} is not one that this list gave you: begin again without it`),
  cursor_expired: (name: string) =>
    pageFailure('cursor_expired', name, `${name} has expired: begin again without it`),
} as const

function mismatch(name: string, what: string): Failure {
  return pageFailure(
    'cursor_mismatch',
    name,
    `${name} was given ${what}: repeat that request, or begin again without it`,
  )
}

function orderNamed(settings: PagerSettings, name: string): ListOrder {
  const order = settings.orders.get(name)
  if (order === undefined) throw new Failure('internal', `list "${settings.id}" has no sort "${name}"`)
  return order
}

function audienceOf(
  settings: { readonly id: string; readonly isPrivate: boolean },
  context: PageContext,
): string {
  if (!settings.isPrivate) return ''
  if (context.principal === undefined || context.principal === '')
    throw new Failure('internal', `list "${settings.id}" is private and cannot be read without a principal`)
  return context.principal
}

function single(found: readonly (readonly [string, unknown])[]): unknown {
  const [first, second] = found
  return second === undefined ? first?.[1] : repeated
}
