import { sql, type Transaction } from 'kysely'
import { Failure } from '../failure/failure.ts'
import type { FileLimits } from './files-limits.ts'
import type { StoreSchema } from './store.ts'
import type { StoredFile } from './tables-files.ts'

interface RoomRules {
  readonly time: number
  readonly limits: FileLimits
}

/**
 * Refuses a file that its owner has no room for. Clients that were killed never resume their uploads, and no list shows them:
 * those without news make room first, the oldest before the others and no more than it takes.
 */
export async function makeRoom(
  transaction: Transaction<StoreSchema>,
  { owner, counted_size }: StoredFile,
  { time, limits }: RoomRules,
): Promise<void> {
  const owned = { owner, time, idleSince: time - limits.idleUploadSeconds * microseconds }
  const missing = async (): Promise<number> =>
    (await usedBy(transaction, owned)) + counted_size - limits.ownerBytes
  const before = await missing()
  if (before <= 0) return
  await endIdle(transaction, owned, before)
  if ((await missing()) > 0) throw await noRoom(transaction, owned, limits)
}

const microseconds = 1_000_000

interface Owned {
  readonly owner: string
  readonly time: number
  readonly idleSince: number
}

async function usedBy(transaction: Transaction<StoreSchema>, { owner, time }: Owned): Promise<number> {
  // The sum of a bigint is a numeric, which Postgres would give as text.
  const { used } = await transaction
    .selectFrom('files')
    .select(sql<number>`cast(coalesce(sum(counted_size), 0) as bigint)`.as('used'))
    .where('owner', '=', owner)
    .where('status', '<>', 'ended')
    .where('expires_at', '>', time)
    .executeTakeFirstOrThrow()
  return used
}

/** The sweep drops their bytes. One that goes on at this moment stays. */
async function endIdle(
  transaction: Transaction<StoreSchema>,
  { owner, time, idleSince }: Owned,
  bytes: number,
): Promise<void> {
  await sql`update files set status = 'ended', updated_at = ${time}, expires_at = ${time}
    where status = 'uploading' and updated_at <= ${idleSince} and upload in (
      select upload from (
        select upload, sum(counted_size) over (order by updated_at, upload) - counted_size as older from files
        where owner = ${owner} and status = 'uploading' and updated_at <= ${idleSince} and expires_at > ${time}
      ) as idle where older < ${bytes})`.execute(transaction)
}

/** Thrown, it undoes what was ended in vain. */
async function noRoom(
  transaction: Transaction<StoreSchema>,
  { owner, time }: Owned,
  { ownerBytes, idleUploadSeconds }: FileLimits,
): Promise<Failure> {
  const idleTime = idleUploadSeconds * microseconds
  const { uploads, bytes, end } = await transaction
    .selectFrom('files')
    .select([
      sql<number>`cast(count(case when status = 'uploading' then 1 end) as bigint)`.as('uploads'),
      sql<number>`cast(coalesce(sum(case when status = 'uploading' then counted_size end), 0) as bigint)`.as(
        'bytes',
      ),
      sql<number | null>`min(case when status = 'uploading' and updated_at + ${sql.lit(idleTime)} < expires_at
        then updated_at + ${sql.lit(idleTime)} else expires_at end)`.as('end'),
    ])
    .where('owner', '=', owner)
    .where('status', '<>', 'ended')
    .where('expires_at', '>', time)
    .executeTakeFirstOrThrow()
  const unfinished =
    uploads === 0
      ? ''
      : `; unfinished uploads take ${bytes} of them (${uploads}): finish or cancel them, or wait until they got nothing for ${idleUploadSeconds} seconds`
  return new Failure(
    'limit-exceeded',
    `your files and uploads would take more than ${ownerBytes} bytes: delete some, or wait until they expire${unfinished}`,
    {
      reason: 'file_storage_full',
      ...(end !== null && { retryAfterSeconds: Math.max(1, Math.ceil((end - time) / microseconds)) }),
    },
  )
}
