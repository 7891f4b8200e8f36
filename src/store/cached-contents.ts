import {
  type Expression,
  type ExpressionBuilder,
  type Kysely,
  type SqlBool,
  sql,
  type Transaction,
} from 'kysely'
import { Failure } from '../failure/failure.ts'
import type { Page } from '../paging/page.ts'
import type { PageRequest } from '../paging/page-request.ts'
import type { Pager } from '../paging/pager.ts'
import type { Sort } from '../paging/sort.ts'
import type { Clock } from './clock.ts'
import { countedSize } from './files-limits.ts'
import { lockOwner } from './owner-lock.ts'
import { readPage } from './read-page.ts'
import type { Store, StoreSchema } from './store.ts'
import type { CachedContent } from './tables-cached-contents.ts'

export type CachedContentPlace = Pick<CachedContent, 'created_at' | 'id'>

export type CachedContentName = Pick<CachedContent, 'owner' | 'id' | 'parent'>

export type CachedContentOrder = Omit<CachedContent, 'size' | 'created_at' | 'updated_at'>

/** What lists and answers show; the content itself is read only to be used. */
export type CachedContentHead = Omit<CachedContent, 'content'>

interface CachedContentList extends Pick<CachedContent, 'owner' | 'parent'> {
  readonly pager: Pager<CachedContentPlace>
  readonly request: PageRequest
}

/** What has expired is not found any more. */
export interface CachedContents {
  readonly create: (order: CachedContentOrder) => Promise<CachedContentHead>
  readonly find: (name: CachedContentName) => Promise<CachedContentHead | undefined>
  readonly findContent: (name: CachedContentName) => Promise<CachedContent | undefined>
  /** Newest first. */
  readonly list: (list: CachedContentList) => Promise<Page<CachedContentHead>>
  readonly extend: (name: CachedContentName, expiresAt: number) => Promise<CachedContentHead | undefined>
  /** Says whether there was one. */
  readonly remove: (name: CachedContentName) => Promise<boolean>
  /** Drops a few of those that have expired, and says how many. */
  readonly sweep: () => Promise<number>
}

export const cachedContentSort: Sort<keyof CachedContentPlace> = [
  { column: 'created_at', type: 'integer', direction: 'descending' },
  { column: 'id', type: 'text', direction: 'descending', unique: true },
]

/** The most bytes of all cached contents of one owner. */
const cachedBytesPerOwner = 256 * 2 ** 20

const head = [
  'owner',
  'id',
  'parent',
  'model',
  'display_name',
  'size',
  'tokens',
  'created_at',
  'updated_at',
  'expires_at',
] as const

export function createCachedContents(
  store: Store,
  now: Clock,
  ownerBytes: number = cachedBytesPerOwner,
): CachedContents {
  const { db } = store
  const rows = db.selectFrom('cached_contents')
  return {
    create: (order) => insert(store, order, { now, ownerBytes }),
    find: (name) => rows.select(head).where(isNamed(name, now())).executeTakeFirst(),
    findContent: (name) => rows.selectAll().where(isNamed(name, now())).executeTakeFirst(),
    list: ({ owner, parent, ...list }) =>
      readPage(store, {
        ...list,
        query: rows
          .select(head)
          .where('owner', '=', owner)
          .where('parent', '=', parent)
          .where('expires_at', '>', now()),
      }),
    extend: (name, expiresAt) => {
      const time = now()
      return db
        .updateTable('cached_contents')
        .set({ expires_at: expiresAt, updated_at: time })
        .where(isNamed(name, time))
        .returning(head)
        .executeTakeFirst()
    },
    remove: async (name) => (await remove(db, isNamed(name, now()))) > 0,
    sweep: () => sweep(db, now()),
  }
}

type Rows = ExpressionBuilder<StoreSchema, 'cached_contents'>
type Condition = (row: Rows) => Expression<SqlBool>

function isNamed({ owner, id, parent }: CachedContentName, time: number): Condition {
  return (row) => row.and([row.and({ owner, id, parent }), row('expires_at', '>', time)])
}

async function remove(db: Kysely<StoreSchema>, condition: Condition): Promise<number> {
  const { numDeletedRows } = await db.deleteFrom('cached_contents').where(condition).executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

async function sweep(db: Kysely<StoreSchema>, time: number): Promise<number> {
  const expired = await db
    .selectFrom('cached_contents')
    .select(['owner', 'id'])
    .where('expires_at', '<=', time)
    .orderBy('expires_at')
    .limit(sweptAtOnce)
    .execute()
  let dropped = 0
  // Not one that was extended since it was seen.
  for (const name of expired)
    dropped += await remove(db, (row) => row.and([row.and(name), row('expires_at', '<=', time)]))
  return dropped
}

const sweptAtOnce = 20

interface Room {
  readonly now: Clock
  readonly ownerBytes: number
}

async function insert(
  { db, dialect }: Store,
  order: CachedContentOrder,
  { now, ownerBytes }: Room,
): Promise<CachedContentHead> {
  const size = countedSize(Buffer.byteLength(order.content))
  const time = now()
  await db.transaction().execute(async (transaction) => {
    await lockOwner(transaction, dialect, order.owner)
    if ((await usedBytes(transaction, order.owner, time)) + size > ownerBytes)
      throw new Failure(
        'limit-exceeded',
        `your cached contents would take more than ${ownerBytes} bytes: delete some, or wait until they expire`,
        { reason: 'cache_storage_full' },
      )
    await transaction
      .insertInto('cached_contents')
      .values({ ...order, size, created_at: time, updated_at: time })
      .execute()
  })
  const { content: _, ...shown } = order
  return { ...shown, size, created_at: time, updated_at: time }
}

async function usedBytes(
  transaction: Transaction<StoreSchema>,
  owner: string,
  time: number,
): Promise<number> {
  // The sum of a bigint is a numeric, which Postgres would give as text.
  const { used } = await transaction
    .selectFrom('cached_contents')
    .select(sql<number>`cast(coalesce(sum(size), 0) as bigint)`.as('used'))
    .where('owner', '=', owner)
    .where('expires_at', '>', time)
    .executeTakeFirstOrThrow()
  return used
}
