import { hash } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { Page } from '../paging/page.ts'
import type { PageRequest } from '../paging/page-request.ts'
import type { Pager } from '../paging/pager.ts'
import type { Sort } from '../paging/sort.ts'
import type { Clock } from './clock.ts'
import { dropFile, endFile, sweepFiles } from './files-end.ts'
import { type FileLimits, fileLimits } from './files-limits.ts'
import { appendBytes, type FileOrder, finishUpload, type NewUpload, startUpload } from './files-upload.ts'
import { readPage } from './read-page.ts'
import { isStorable } from './storable-text.ts'
import type { Store, StoreSchema } from './store.ts'
import type { StoredFile } from './tables-files.ts'

export type FilePlace = Pick<StoredFile, 'created_at' | 'id'>

interface FileName {
  readonly owner: string
  readonly id: string
}

interface FileList {
  readonly owner: string
  readonly pager: Pager<FilePlace>
  readonly request: PageRequest
}

/** Files with their bytes, for every instance on this store. What has expired is not found any more. */
export interface Files {
  readonly limits: FileLimits
  readonly start: (order: FileOrder) => Promise<NewUpload>
  /** An upload that is under way or has become a file. */
  readonly findUpload: (uploadId: string) => Promise<StoredFile | undefined>
  /** Adds bytes at the end; refuses when `file` is not what is stored any more. */
  readonly append: (file: StoredFile, bytes: Uint8Array) => Promise<StoredFile>
  /** Makes the upload a file, with the hash of what is stored. */
  readonly finish: (file: StoredFile) => Promise<StoredFile>
  readonly find: (name: FileName) => Promise<StoredFile | undefined>
  /** Newest first. */
  readonly list: (list: FileList) => Promise<Page<StoredFile>>
  readonly read: (file: StoredFile) => AsyncIterable<Uint8Array>
  /** From here on it is not found; resolves when its bytes are gone too. */
  readonly remove: (file: StoredFile) => Promise<void>
  /** Drops a few of those that have expired, and says how many. */
  readonly sweep: () => Promise<number>
}

export const fileSort: Sort<keyof FilePlace> = [
  { column: 'created_at', type: 'integer', direction: 'descending' },
  { column: 'id', type: 'text', direction: 'descending', unique: true },
]

export function createFiles(store: Store, now: Clock, limits: FileLimits = fileLimits): Files {
  const { db } = store
  const context = { store, now, limits }
  return {
    limits,
    start: (order) => startUpload(context, order),
    findUpload: (uploadId) =>
      db
        .selectFrom('files')
        .selectAll()
        .where('upload', '=', hash('sha256', uploadId))
        .where('status', '<>', 'ended')
        .where('expires_at', '>', now())
        .executeTakeFirst(),
    append: (file, bytes) => appendBytes(context, file, bytes),
    finish: (file) => finishUpload(context, file, readBytes(db, file)),
    find: async ({ owner, id }) =>
      isStorable(id) ? liveFiles(db, owner, now()).where('id', '=', id).executeTakeFirst() : undefined,
    list: ({ owner, ...list }) => readPage(store, { ...list, query: liveFiles(db, owner, now()) }),
    read: (file) => readBytes(db, file),
    remove: async ({ upload }) => {
      if (await endFile(db, upload, now())) await dropFile(db, upload)
    },
    sweep: () => sweepFiles(db, now),
  }
}

function liveFiles(db: Kysely<StoreSchema>, owner: string, time: number) {
  return db
    .selectFrom('files')
    .selectAll()
    .where('owner', '=', owner)
    .where('status', '=', 'stored')
    .where('expires_at', '>', time)
}

/** One piece at a time, and others get their turn between two of them: SQLite reads in this thread. */
async function* readBytes(db: Kysely<StoreSchema>, { upload, size }: StoredFile): AsyncGenerator<Uint8Array> {
  for (let position = 0; position < size; ) {
    const chunk = await db
      .selectFrom('file_chunks')
      .select('bytes')
      .where('upload', '=', upload)
      .where('starts_at', '=', position)
      .executeTakeFirst()
    if (chunk === undefined) return
    position += chunk.bytes.length
    yield chunk.bytes
    await turn()
  }
}
