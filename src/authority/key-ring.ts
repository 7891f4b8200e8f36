import { generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'
import { calculateJwkThumbprint } from 'jose'
import { type Kysely, sql } from 'kysely'
import type { JWK } from 'oidc-provider'
import type { Clock } from '../store/clock.ts'
import type { Store, StoreSchema } from '../store/store.ts'
import type { AuthorityKey } from '../store/tables-authority.ts'
import { createSeal, type Seal } from './sealed.ts'

/** Times in microseconds. */
export interface KeyState {
  readonly kid: string
  readonly algorithm: string
  readonly state: 'next' | 'signing' | 'published'
  readonly createdAt: number
  readonly signsFrom: number
  readonly publishedUntil: number | null
}

/** A key as the provider takes it. */
export interface RingKey extends Omit<KeyState, 'state'> {
  readonly jwk: JWK
}

export interface KeysInForce {
  /** All that are published; the one that signs is the first. */
  readonly keys: readonly RingKey[]
  /** Those that are published no more, to know an ID token again that a client shows to sign somebody out. */
  readonly retired: readonly RingKey[]
  /** When this answer changes by itself. */
  readonly until: number
}

/** A key that is published at once and signs a minute later, when every instance and most readers have it. */
export async function rotateKeys(
  store: Store,
  options: { readonly secret: string; readonly now: Clock; readonly accessTokenSeconds: number },
): Promise<{ kid: string; signsFrom: number }> {
  const seal = createSeal(options.secret)
  const fresh = await newKey()
  return exclusively(store, async (db) => {
    const rows = await db.selectFrom('authority_keys').selectAll().execute()
    // With another secret than the others' no instance could open the new one.
    for (const row of rows) openKey(row, seal)
    const createdAt = options.now()
    // The newest key must be the last to sign, also where the one before it was made by a clock that is ahead.
    const others = rows.map((row) => row.signs_from + 1)
    const signsFrom = rows.length === 0 ? createdAt : Math.max(createdAt + headStart, ...others)
    const lastUse = signsFrom + (options.accessTokenSeconds + graceSeconds) * second
    await db
      .updateTable('authority_keys')
      .set({ published_until: lastUse })
      .where('published_until', 'is', null)
      .execute()
    await insertKey(db, fresh, { seal, createdAt, signsFrom })
    return { kid: fresh.kid, signsFrom }
  })
}

/** The key that signs, the one that will, and those that are still published; newest first. */
export async function listKeys(store: Store, now: Clock): Promise<readonly KeyState[]> {
  const rows = await store.db.selectFrom('authority_keys').selectAll().execute()
  const time = now()
  const states = rows.map(stateless).filter((key) => isPublished(key, time))
  const signing = signingKey(states, time)
  return states
    .map((key): KeyState => {
      const state = key.kid === signing?.kid ? 'signing' : key.signsFrom > time ? 'next' : 'published'
      return { ...key, state }
    })
    .sort((one, other) => other.signsFrom - one.signsFrom)
}

/** Of several instances that start on an empty store, one makes the key and the others find it. */
export async function ensureKey(store: Store, options: { seal: Seal; now: Clock }): Promise<void> {
  if ((await loadKeys(store, options.seal)).length > 0) return
  const fresh = await newKey()
  await exclusively(store, async (db) => {
    const known = await db.selectFrom('authority_keys').select('kid').limit(1).executeTakeFirst()
    if (known !== undefined) return
    const createdAt = options.now()
    await insertKey(db, fresh, { seal: options.seal, createdAt, signsFrom: createdAt })
  })
}

export async function loadKeys(store: Store, seal: Seal): Promise<readonly RingKey[]> {
  const rows = await store.db.selectFrom('authority_keys').selectAll().orderBy('signs_from').execute()
  return rows.map((row) => ({ ...stateless(row), jwk: openKey(row, seal) }))
}

export function keysInForce(keys: readonly RingKey[], time: number): KeysInForce {
  const published = keys.filter((key) => isPublished(key, time))
  const signing = signingKey(published, time)
  const retired = keys.filter((key) => !isPublished(key, time) && isPublished(key, time - retiredLife))
  const changes = keys.flatMap(({ signsFrom, publishedUntil }) => [
    signsFrom,
    ...(publishedUntil === null ? [] : [publishedUntil, publishedUntil + retiredLife]),
  ])
  return {
    keys: published.toSorted((one, other) => Number(other === signing) - Number(one === signing)),
    retired,
    until: Math.min(Number.POSITIVE_INFINITY, ...changes.filter((change) => change > time)),
  }
}

const second = 1_000_000
const headStart = 60 * second
/** As long as a session can last: `authority.sessionHours` is 720 at most. */
export const retiredLife: number = 720 * 3600 * second
/** For clocks that differ and tokens that are checked late. */
const graceSeconds = 300

type Stateless = Omit<KeyState, 'state'>

function isPublished({ publishedUntil }: Stateless, time: number): boolean {
  return publishedUntil === null || publishedUntil > time
}

function signingKey<Key extends Stateless>(keys: readonly Key[], time: number): Key | undefined {
  return keys
    .filter(({ signsFrom }) => signsFrom <= time)
    .reduce<Key | undefined>(
      (best, key) => (best === undefined || key.signsFrom > best.signsFrom ? key : best),
      undefined,
    )
}

function stateless(row: AuthorityKey): Stateless {
  return {
    kid: row.kid,
    algorithm: row.algorithm,
    createdAt: row.created_at,
    signsFrom: row.signs_from,
    publishedUntil: row.published_until,
  }
}

function openKey(row: AuthorityKey, seal: Seal): JWK {
  return JSON.parse(seal.open(row.sealed, `key ${row.kid}`))
}

async function newKey(): Promise<JWK & { readonly kid: string }> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' })
  const { kty, crv, x, y, d } = privateKey.export({ format: 'jwk' })
  return { kty, crv, x, y, d, kid: await calculateJwkThumbprint(publicKey), alg: algorithm, use: 'sig' }
}

const algorithm = 'ES256'

async function insertKey(
  db: Kysely<StoreSchema>,
  key: JWK & { readonly kid: string },
  when: { readonly seal: Seal; readonly createdAt: number; readonly signsFrom: number },
): Promise<void> {
  const row = {
    kid: key.kid,
    algorithm,
    sealed: when.seal.close(JSON.stringify(key), `key ${key.kid}`),
    created_at: when.createdAt,
    signs_from: when.signsFrom,
    published_until: null,
  }
  await db.insertInto('authority_keys').values(row).execute()
}

/** On SQLite a transaction is alone from its beginning; Postgres is asked to. */
async function exclusively<Result>(
  store: Store,
  work: (db: Kysely<StoreSchema>) => Promise<Result>,
): Promise<Result> {
  return store.db.transaction().execute(async (db) => {
    if (store.dialect === 'postgres')
      await sql`lock table authority_keys in share row exclusive mode`.execute(db)
    return work(db)
  })
}
