import { setImmediate as turn } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { Clock } from './clock.ts'
import type { StoreSchema } from './store.ts'

/** Says whether it had not ended before. */
export async function endFile(db: Kysely<StoreSchema>, upload: string, time: number): Promise<boolean> {
  const ended = await db
    .updateTable('files')
    .set({ status: 'ended', updated_at: time, expires_at: time })
    .where('upload', '=', upload)
    .where('status', '<>', 'ended')
    .executeTakeFirst()
  return ended.numUpdatedRows > 0n
}

/** The bytes of a file that has ended, a few pieces at a time, then its row; several instances may do it at once. */
export async function dropFile(db: Kysely<StoreSchema>, upload: string): Promise<void> {
  for (;;) {
    const chunks = db
      .selectFrom('file_chunks')
      .select('starts_at')
      .where('upload', '=', upload)
      .orderBy('starts_at')
      .limit(chunksAtOnce)
    const dropped = await db
      .deleteFrom('file_chunks')
      .where('upload', '=', upload)
      .where('starts_at', 'in', chunks)
      .executeTakeFirst()
    if (dropped.numDeletedRows === 0n) break
    await turn()
  }
  await db.deleteFrom('files').where('upload', '=', upload).where('status', '=', 'ended').execute()
}

/** SQLite visits every page of what it deletes, in this thread. */
const chunksAtOnce = 4

export async function sweepFiles(db: Kysely<StoreSchema>, now: Clock): Promise<number> {
  const expired = await db
    .selectFrom('files')
    .select(['upload', 'status'])
    .where('expires_at', '<=', now())
    .orderBy('expires_at')
    .limit(filesAtOnce)
    .execute()
  let dropped = 0
  for (const { upload, status } of expired) {
    if (status !== 'ended' && !(await endExpiredFile(db, upload, now()))) continue
    await dropFile(db, upload)
    dropped += 1
  }
  return dropped
}

const filesAtOnce = 20

/** Not one whose upload has gone on since it was seen. */
async function endExpiredFile(db: Kysely<StoreSchema>, upload: string, time: number): Promise<boolean> {
  const ended = await db
    .updateTable('files')
    .set({ status: 'ended', updated_at: time })
    .where('upload', '=', upload)
    .where('expires_at', '<=', time)
    .executeTakeFirst()
  return ended.numUpdatedRows > 0n
}
