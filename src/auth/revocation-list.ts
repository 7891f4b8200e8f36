import type { Store } from '../store/store.ts'
import type { RevokedCredential } from '../store/tables-audit.ts'

/** What the store says was revoked, as of one moment. */
export interface RevocationList {
  /** Ids of credentials, whatever their kind: a token stays revoked when its issuer comes to be asked another way. */
  readonly ids: ReadonlySet<string>
  /** By the names of the rows, when each ends by itself. */
  readonly ends: ReadonlyMap<string, number | null>
  /** The last `revoked_at` of all, in microseconds. */
  readonly newest: number
}

export const emptyList: RevocationList = { ids: new Set(), ends: new Map(), newest: 0 }

/**
 * The list as it is now, made from the one before. Rows are not committed in the order of their times, and the clocks of
 * their writers differ: so the number of rows decides whether what seems new is all that is new.
 */
export async function readNews(
  { db }: Pick<Store, 'db'>,
  before: RevocationList,
  now: number,
): Promise<RevocationList> {
  const endedBy = now - kept
  const total = await countRows(db, endedBy)
  if (total === 0) return emptyList
  const news = await rowsSince(db, before.newest - overlap, endedBy)
  const list = added(withoutEnded(before, endedBy), news)
  return list.ends.size === total ? list : added(emptyList, await allRows(db, endedBy))
}

/** All in microseconds. What has ended is kept for a while: clocks differ, and an issuer may be granted some skew. */
const kept = 3_600_000_000
const overlap = 5_000_000
const pageRows = 5000

type Row = Pick<RevokedCredential, 'credential' | 'revoked_at' | 'expires_at'>
type Database = Store['db']

function added(list: RevocationList, rows: readonly Row[]): RevocationList {
  if (rows.every(({ credential, expires_at }) => list.ends.get(credential) === expires_at)) return list
  const ends = new Map(list.ends)
  const ids = new Set(list.ids)
  let { newest } = list
  for (const { credential, revoked_at, expires_at } of rows) {
    ends.set(credential, expires_at)
    ids.add(idOf(credential))
    newest = Math.max(newest, revoked_at)
  }
  return { ends, ids, newest }
}

function withoutEnded(list: RevocationList, endedBy: number): RevocationList {
  const ended: string[] = []
  for (const [credential, end] of list.ends) if (end !== null && end <= endedBy) ended.push(credential)
  if (ended.length === 0) return list
  const ends = new Map(list.ends)
  for (const credential of ended) ends.delete(credential)
  return { ...list, ends, ids: new Set([...ends.keys()].map(idOf)) }
}

/** The row is named `<kind>:<id>`. */
function idOf(credential: string): string {
  return credential.slice(credential.indexOf(':') + 1)
}

async function countRows(db: Database, endedBy: number): Promise<number> {
  const { total } = await db
    .selectFrom('revoked_credentials')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', endedBy)]))
    .executeTakeFirstOrThrow()
  return total
}

function rowsSince(db: Database, time: number, endedBy: number): Promise<readonly Row[]> {
  return db
    .selectFrom('revoked_credentials')
    .selectAll()
    .where('revoked_at', '>', time)
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', endedBy)]))
    .orderBy('revoked_at')
    .limit(pageRows)
    .execute()
}

/** In pages: SQLite reads on the thread that answers requests. */
async function allRows(db: Database, endedBy: number): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (let last: string | undefined = ''; last !== undefined; ) {
    const page: readonly Row[] = await db
      .selectFrom('revoked_credentials')
      .selectAll()
      .where('credential', '>', last)
      .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', endedBy)]))
      .orderBy('credential')
      .limit(pageRows)
      .execute()
    rows.push(...page)
    last = page.length < pageRows ? undefined : page.at(-1)?.credential
  }
  return rows
}
