import { createHash, hash, randomBytes } from 'node:crypto'
import type { Transaction } from 'kysely'
import { Failure } from '../failure/failure.ts'
import type { Clock } from './clock.ts'
import { countedSize, type FileLimits } from './files-limits.ts'
import { makeRoom } from './files-room.ts'
import { lockOwner } from './owner-lock.ts'
import type { Store, StoreSchema } from './store.ts'
import type { StoredFile } from './tables-files.ts'

export interface FileOrder {
  readonly owner: string
  readonly id: string
  readonly displayName: string
  readonly mimeType: string
  /** As announced; undefined when it is not known yet, which takes the room of the largest file until it is. */
  readonly size: number | undefined
  readonly credential: { readonly kind: string; readonly id: string }
}

export interface NewUpload {
  readonly file: StoredFile
  /** Whoever has it can add to the upload; told this once. */
  readonly uploadId: string
}

export interface FileContext {
  readonly store: Store
  readonly now: Clock
  readonly limits: FileLimits
}

export async function startUpload(context: FileContext, order: FileOrder): Promise<NewUpload> {
  const { store, now, limits } = context
  if ((order.size ?? 0) > limits.fileBytes) throw tooLarge(limits)
  const uploadId = randomBytes(32).toString('base64url')
  const file = await store.db.transaction().execute(async (transaction) => {
    await lockOwner(transaction, store.dialect, order.owner)
    const time = now()
    const row = newRow(order, { upload: hash('sha256', uploadId), time, limits })
    await refuseTaken(transaction, row, time)
    await makeRoom(transaction, row, { time, limits })
    await transaction.insertInto('files').values(row).execute()
    return row
  })
  return { file, uploadId }
}

interface NewRow {
  readonly upload: string
  readonly time: number
  readonly limits: FileLimits
}

function newRow(order: FileOrder, { upload, time, limits }: NewRow): StoredFile {
  return {
    upload,
    owner: order.owner,
    id: order.id,
    status: 'uploading',
    display_name: order.displayName,
    mime_type: order.mimeType,
    announced_size: order.size ?? null,
    size: 0,
    counted_size: countedSize(order.size ?? limits.fileBytes),
    sha256: null,
    credential_kind: order.credential.kind,
    credential_id: order.credential.id,
    created_at: time,
    updated_at: time,
    expires_at: time + limits.uploadSeconds * microseconds,
  }
}

const microseconds = 1_000_000

async function refuseTaken(
  transaction: Transaction<StoreSchema>,
  { owner, id }: StoredFile,
  time: number,
): Promise<void> {
  const taken = await transaction
    .selectFrom('files')
    .select('id')
    .where('owner', '=', owner)
    .where('id', '=', id)
    .where('status', '=', 'stored')
    .where('expires_at', '>', time)
    .executeTakeFirst()
  if (taken !== undefined)
    throw new Failure('conflict', `you have a file files/${id} already: choose another name, or delete it`, {
      reason: 'already_exists',
    })
}

/** The row changes first: on Postgres that locks it, so that nobody adds or ends at the same time. */
export function appendBytes(
  { store, now, limits }: FileContext,
  file: StoredFile,
  bytes: Uint8Array,
): Promise<StoredFile> {
  const size = file.size + bytes.length
  if (size > limits.fileBytes) throw tooLarge(limits)
  if (file.announced_size !== null && size > file.announced_size)
    throw new Failure('invalid-request', `the upload was announced with ${file.announced_size} bytes`, {
      reason: 'out_of_range',
    })
  return store.db.transaction().execute(async (transaction) => {
    const time = now()
    const change = {
      size,
      updated_at: time,
      expires_at: time + limits.uploadSeconds * microseconds,
    }
    await changeUpload(transaction, file, change)
    await transaction
      .insertInto('file_chunks')
      .values({ upload: file.upload, starts_at: file.size, bytes })
      .execute()
    return { ...file, ...change }
  })
}

export async function finishUpload(
  { store, now, limits }: FileContext,
  file: StoredFile,
  stored: AsyncIterable<Uint8Array>,
): Promise<StoredFile> {
  if (file.announced_size !== null && file.size !== file.announced_size)
    throw new Failure(
      'invalid-request',
      `the upload was announced with ${file.announced_size} bytes and has ${file.size}: send the rest before it is finalized`,
      { reason: 'failed_precondition' },
    )
  const sha256 = await hashOf(stored, file.size)
  return store.db.transaction().execute(async (transaction) => {
    await lockOwner(transaction, store.dialect, file.owner)
    const time = now()
    await refuseTaken(transaction, file, time)
    await endExpired(transaction, file, time)
    const change = {
      status: 'stored',
      sha256,
      counted_size: countedSize(file.size),
      created_at: time,
      updated_at: time,
      expires_at: time + limits.fileSeconds * microseconds,
    } as const
    await changeUpload(transaction, file, change)
    return { ...file, ...change }
  })
}

async function hashOf(stored: AsyncIterable<Uint8Array>, size: number): Promise<string> {
  const sha256 = createHash('sha256')
  let length = 0
  for await (const bytes of stored) {
    sha256.update(bytes)
    length += bytes.length
  }
  if (length !== size) throw moved()
  return sha256.digest('hex')
}

/** One that has expired and was not swept yet must not keep its name. */
async function endExpired(
  transaction: Transaction<StoreSchema>,
  { owner, id }: StoredFile,
  time: number,
): Promise<void> {
  await transaction
    .updateTable('files')
    .set({ status: 'ended' })
    .where('owner', '=', owner)
    .where('id', '=', id)
    .where('status', '=', 'stored')
    .where('expires_at', '<=', time)
    .execute()
}

async function changeUpload(
  transaction: Transaction<StoreSchema>,
  { upload, size }: StoredFile,
  change: Partial<StoredFile> & { readonly updated_at: number },
): Promise<void> {
  const changed = await transaction
    .updateTable('files')
    .set(change)
    .where('upload', '=', upload)
    .where('status', '=', 'uploading')
    .where('size', '=', size)
    .where('expires_at', '>', change.updated_at)
    .executeTakeFirst()
  if (changed.numUpdatedRows !== 1n) throw moved()
}

function moved(): Failure {
  return new Failure('conflict', 'the upload has gone on or ended meanwhile: query where it is', {
    reason: 'upload_moved',
  })
}

function tooLarge({ fileBytes }: FileLimits): Failure {
  return new Failure('invalid-request', `a file may have at most ${fileBytes} bytes`, {
    reason: 'file_too_large',
  })
}
