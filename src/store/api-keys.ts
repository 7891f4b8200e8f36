import type { Kysely } from 'kysely'
import { Failure } from '../failure/failure.ts'
import type { Page } from '../paging/page.ts'
import type { PageRequest } from '../paging/page-request.ts'
import type { Pager } from '../paging/pager.ts'
import type { Sort } from '../paging/sort.ts'
import { checkKeyOrder, isAccountName, type KeyOrder } from './api-key-order.ts'
import { makeApiKey, makeSuccessor, type NewApiKey, words } from './api-key-secret.ts'
import type { Clock } from './clock.ts'
import { lockOwner } from './owner-lock.ts'
import { createRareTouch, type RareTouch } from './rare-touch.ts'
import { readPage } from './read-page.ts'
import type { Store, StoreSchema } from './store.ts'
import type { ApiKey } from './tables-api-keys.ts'

export type ApiKeyPlace = Pick<ApiKey, 'created_at' | 'id'>

/** What is left out stays; null takes a limit away. */
interface KeyChanges {
  readonly name?: string | undefined
  readonly scopes?: readonly string[] | null | undefined
  readonly models?: readonly string[] | null | undefined
  readonly addresses?: readonly string[] | null | undefined
  /** Microseconds since 1970. */
  readonly expiresAt?: number | null | undefined
}

export interface ApiKeys {
  /** Without a principal it is for a new one: a key of that name that works already is a conflict. */
  readonly create: (order: KeyOrder) => Promise<NewApiKey>
  /** A new key with the rights and the lifetime of the old one, which ends with the overlap; without one it is revoked. */
  readonly rotate: (id: string, overlapSeconds: number) => Promise<NewApiKey>
  /** The key as it is then; undefined when there is none. One that has ended stays as it is. */
  readonly update: (id: string, changes: KeyChanges) => Promise<ApiKey | undefined>
  /** Says whether there was such a key, not revoked before. */
  readonly revoke: (id: string) => Promise<boolean>
  /** Revoked and expired ones too. */
  readonly findByHash: (hash: string) => Promise<ApiKey | undefined>
  readonly findById: (id: string) => Promise<ApiKey | undefined>
  readonly list: (list: {
    readonly pager: Pager<ApiKeyPlace>
    readonly request: PageRequest
  }) => Promise<Page<ApiKey>>
  /** Notes that a key was used. */
  readonly touch: RareTouch
}

export const apiKeySort: Sort<keyof ApiKeyPlace> = [
  { column: 'created_at', type: 'integer', direction: 'ascending' },
  { column: 'id', type: 'text', direction: 'ascending', unique: true },
]

/** `now` makes ids and an order; whether a key has ended is asked of `wall`, as whoever checks keys does. */
export function createApiKeys(store: Store, now: Clock, wall: Clock = now): ApiKeys {
  const { db } = store
  return {
    create: async (order) => {
      const time = now()
      const at = wall()
      checkKeyOrder(order, at)
      return create(store, makeApiKey(order, time), { ...order, at })
    },
    rotate: async (id, overlapSeconds) => {
      checkOverlap(overlapSeconds)
      return rotate(store, { id, overlapSeconds, time: now(), at: wall() })
    },
    update: async (id, changes) => update(db, { id, changes, time: now(), at: wall() }),
    revoke: (id) => revoke(db, id, now()),
    findByHash: (text) => db.selectFrom('api_keys').selectAll().where('hash', '=', text).executeTakeFirst(),
    findById: (id) => findById(db, id),
    list: (list) => readPage(store, { ...list, query: db.selectFrom('api_keys').selectAll() }),
    touch: createRareTouch(now, ({ id, time, before }) =>
      db
        .updateTable('api_keys')
        .set({ last_used_at: time })
        .where('id', '=', id)
        .where((where) => where.or([where('last_used_at', 'is', null), where('last_used_at', '<=', before)]))
        .execute(),
    ),
  }
}

/** Whoever names no principal means a new one: with that of another key they would share files and limits unawares. */
function create(
  { db, dialect }: Store,
  made: NewApiKey,
  { principal, at }: KeyOrder & Pick<Rotation, 'at'>,
): Promise<NewApiKey> {
  const { row } = made
  return db.transaction().execute(async (transaction) => {
    if (principal === undefined) {
      await lockOwner(transaction, dialect, `api key ${row.principal}`)
      if (await hasLiveKey(transaction, row.principal, at)) throw taken(row.principal)
    }
    await transaction.insertInto('api_keys').values(row).execute()
    return made
  })
}

async function hasLiveKey(db: Kysely<StoreSchema>, principal: string, time: number): Promise<boolean> {
  const found = await db
    .selectFrom('api_keys')
    .select('id')
    .where('principal', '=', principal)
    .where('revoked_at', 'is', null)
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', time)]))
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

const longestOverlap = 90 * 86_400

function checkOverlap(seconds: number): void {
  if (seconds >= 0 && seconds <= longestOverlap) return
  const wrong = `the overlap of two keys must be between 0 and ${longestOverlap} seconds`
  throw new Failure('invalid-request', wrong, { field: 'overlapSeconds' })
}

interface Rotation {
  readonly id: string
  readonly overlapSeconds: number
  readonly time: number
  /** The same moment on the wall clock. */
  readonly at: number
}

function rotate({ db, dialect }: Store, { id, overlapSeconds, time, at }: Rotation): Promise<NewApiKey> {
  return db.transaction().execute(async (transaction) => {
    const query = transaction.selectFrom('api_keys').selectAll().where('id', '=', id)
    // On SQLite every writer has the file for itself.
    const old = await query.$if(dialect === 'postgres', (read) => read.forUpdate()).executeTakeFirst()
    if (old === undefined) throw new Failure('not-found', `there is no API key ${id}`)
    if (old.replaced_by !== null) throw replaced(old)
    if (isOver(old, at)) throw ended(id)
    if ([old.name, old.principal].some(isAccountName)) throw forAccount(old)
    const made = makeSuccessor(old, time, at)
    const end = at + Math.floor(overlapSeconds * 1_000_000)
    await transaction
      .updateTable('api_keys')
      .set({
        // Where clocks differ, an end at this moment is in the future of others.
        ...(overlapSeconds === 0
          ? { revoked_at: time }
          : { expires_at: Math.min(end, old.expires_at ?? end) }),
        updated_at: time,
        replaced_by: made.row.id,
      })
      .where('id', '=', id)
      .execute()
    await transaction.insertInto('api_keys').values(made.row).execute()
    return made
  })
}

interface Update extends Pick<Rotation, 'id' | 'time' | 'at'> {
  readonly changes: KeyChanges
}

async function update(
  db: Kysely<StoreSchema>,
  { id, changes, time, at }: Update,
): Promise<ApiKey | undefined> {
  const { name, scopes, models, addresses, expiresAt } = changes
  checkKeyOrder(
    {
      name: name ?? 'unchanged',
      scopes: scopes ?? undefined,
      models: models ?? undefined,
      addresses: addresses ?? undefined,
      expiresAt: expiresAt ?? undefined,
    },
    at,
  )
  const changed = await db
    .updateTable('api_keys')
    .set({
      ...(name === undefined ? {} : { name }),
      ...(scopes === undefined ? {} : { scopes: words(scopes) }),
      ...(models === undefined ? {} : { models: words(models) }),
      ...(addresses === undefined ? {} : { addresses: words(addresses) }),
      ...(expiresAt === undefined ? {} : { expires_at: expiresAt }),
      updated_at: time,
    })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', at)]))
    .$if(expiresAt !== undefined, (query) =>
      query.where((where) =>
        // A rotation has said when the old key ends: that may come earlier, and not later.
        where.or([where('replaced_by', 'is', null), where('expires_at', '>=', expiresAt ?? endless)]),
      ),
    )
    .returningAll()
    .executeTakeFirst()
  if (changed !== undefined) return changed
  const unchanged = await findById(db, id)
  if (unchanged === undefined) return undefined
  throw isOver(unchanged, at) ? ended(id) : endsSoon(unchanged)
}

const endless = Number.MAX_SAFE_INTEGER

function isOver({ revoked_at, expires_at }: ApiKey, time: number): boolean {
  return revoked_at !== null || (expires_at ?? Infinity) <= time
}

async function revoke(db: Kysely<StoreSchema>, id: string, time: number): Promise<boolean> {
  const changed = await db
    .updateTable('api_keys')
    .set({ revoked_at: time, updated_at: time })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  return changed.numUpdatedRows > 0n
}

function findById(db: Kysely<StoreSchema>, id: string): Promise<ApiKey | undefined> {
  return db.selectFrom('api_keys').selectAll().where('id', '=', id).executeTakeFirst()
}

function taken(principal: string): Failure {
  const cure = `give --principal ${principal} (principal "${principal}" in the API) to make another one for the same principal, or another name`
  return new Failure('conflict', `there is a key for ${principal} already: ${cure}`, { field: 'name' })
}

function replaced({ id, replaced_by }: ApiKey): Failure {
  return new Failure('conflict', `the API key ${id} has been replaced; rotate ${replaced_by} instead`)
}

function forAccount({ id }: ApiKey): Failure {
  const wrong = `the API key ${id} has the e-mail of a service account as its name or principal`
  return new Failure('conflict', `${wrong}: revoke it, and create one for another principal`)
}

function endsSoon({ id, replaced_by }: ApiKey): Failure {
  return new Failure(
    'conflict',
    `the API key ${id} has been replaced by ${replaced_by}: it may not end later`,
  )
}

function ended(id: string): Failure {
  return new Failure('conflict', `the API key ${id} has ended; create a new one`)
}
