import assert from 'node:assert/strict'
import { hash, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { forEachEngine, openDatabase } from '../../test/store/engines.ts'
import { Failure } from '../failure/failure.ts'
import { definePager } from '../paging/pager.ts'
import { createTokenCodec } from '../paging/token-codec.ts'
import { microsecondClock } from './clock.ts'
import { createFiles, type FilePlace, type Files, fileSort } from './files.ts'
import { fileLimits } from './files-limits.ts'
import type { FileOrder } from './files-upload.ts'
import { migrations } from './migrations.ts'
import type { StoreSchema } from './store.ts'
import type { StoredFile } from './tables-files.ts'

const hour = 3600 * 1_000_000
const minute = hour / 60

function order(more: Partial<FileOrder> = {}): FileOrder {
  return {
    owner: 'alice',
    id: randomBytes(6).toString('hex'),
    displayName: '',
    mimeType: 'text/plain',
    size: undefined,
    credential: { kind: 'api-key', id: 'k' },
    ...more,
  }
}

async function put(files: Files, bytes: Uint8Array, more: Partial<FileOrder> = {}): Promise<StoredFile> {
  const { file } = await files.start(order({ size: bytes.length, ...more }))
  return files.finish(await files.append(file, bytes))
}

async function bytesOf(files: Files, file: StoredFile): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of files.read(file)) pieces.push(piece)
  return Buffer.concat(pieces)
}

function clockFrom(start: number): { now: () => number; pass: (time: number) => void } {
  let time = start
  return {
    now: () => {
      time += 1
      return time
    },
    pass: (more) => {
      time += more
    },
  }
}

const moved = { code: 'conflict', reason: 'upload_moved' }

forEachEngine((engine) => {
  test('a file that came in pieces is read back whole, under the hash of its bytes', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const files = createFiles(store, microsecondClock())
    const bytes = randomBytes(3_000_000)
    let { file } = await files.start(order({ id: 'whole' }))
    for (const [from, to] of [
      [0, 1],
      [1, 1_048_577],
      [1_048_577, 3_000_000],
    ] as const)
      file = await files.append(file, bytes.subarray(from, to))
    await files.finish(file)
    const stored = await files.find({ owner: 'alice', id: 'whole' })
    assert.ok(stored)
    assert.equal(stored.sha256, hash('sha256', bytes))
    assert.deepEqual(await bytesOf(files, stored), bytes)
  })

  test('of two that go on at the same place one is refused, and nothing of it is stored', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const files = createFiles(store, microsecondClock())
    const { file } = await files.start(order())
    const results = await Promise.allSettled([
      files.append(file, Buffer.from('left')),
      files.append(file, Buffer.from('right')),
    ])
    const [winner] = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
    const [loser] = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
    assert.ok(winner)
    assert.ok(loser instanceof Failure)
    assert.equal(loser.reason, 'upload_moved')
    const stored = await files.finish(winner)
    assert.equal((await bytesOf(files, stored)).length, winner.size)
  })

  test('an upload cannot be finished from a state that it has left', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const files = createFiles(store, microsecondClock())
    const { file } = await files.start(order())
    await files.append(file, Buffer.from('more'))
    await assert.rejects(files.finish(file), moved)
  })

  test('starts at the same moment cannot take more than the room of their owner', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const limits = { ...fileLimits, ownerBytes: 100_000 }
    const files = createFiles(store, microsecondClock(), limits)
    const started = await Promise.allSettled(
      Array.from({ length: 20 }, () => files.start(order({ size: 20_000 }))),
    )
    assert.equal(started.filter(({ status }) => status === 'fulfilled').length, 5)
    const refused = started.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
    assert.ok(refused.every((error) => error instanceof Failure && error.code === 'limit-exceeded'))
    await files.start(order({ size: 20_000, owner: 'bob' }))
  })

  test('room is given back by a removal, by an expiry and by the true size', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const clock = clockFrom(hour)
    const limits = { ...fileLimits, fileBytes: 10_000, ownerBytes: 10_000 }
    const files = createFiles(store, clock.now, limits)
    const file = await put(files, randomBytes(9000))
    await assert.rejects(files.start(order({ size: 9000 })), { reason: 'file_storage_full' })
    await files.remove(file)
    const { file: open } = await files.start(order())
    await assert.rejects(files.start(order({ size: 1 })), { reason: 'file_storage_full' })
    await files.finish(await files.append(open, Buffer.from('short')))
    await files.start(order({ size: 1 }))
    clock.pass(48 * hour)
    await files.start(order({ size: 10_000 }))
  })

  test('without room, uploads that got nothing for ten minutes give way, the oldest first and no more than needed', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const clock = clockFrom(hour)
    const files = createFiles(store, clock.now, { ...fileLimits, fileBytes: 30_000, ownerBytes: 70_000 })
    const start = (owner = 'alice') => files.start(order({ size: 20_000, owner }))
    const [alive, old, newer, foreign] = [await start(), await start(), await start(), await start('bob')]
    const late = await files.append(old.file, Buffer.from('some'))
    clock.pass(minute)
    await files.append(newer.file, Buffer.from('more'))
    clock.pass(minute)
    const going = await files.append(alive.file, Buffer.from('more'))
    await assert.rejects(start(), {
      reason: 'file_storage_full',
      message: /^your files .* unfinished uploads take 60000 of them \(3\): finish or cancel them/,
      retryAfterSeconds: 480,
    })
    clock.pass(9 * minute)
    await start()
    const uploads = [alive, old, newer, foreign].map(({ uploadId }) => files.findUpload(uploadId))
    assert.deepEqual(
      (await Promise.all(uploads)).map((upload) => upload?.owner),
      ['alice', undefined, 'alice', 'bob'],
    )
    await assert.rejects(files.append(late, Buffer.from('late')), moved)
    await files.append(going, Buffer.from('on'))
    assert.deepEqual([await files.sweep(), await files.sweep()], [1, 0])
    const left = store.db.selectFrom('file_chunks').select('upload').where('upload', '=', old.file.upload)
    assert.deepEqual(await left.execute(), [])
  })

  test('an upload does not give way in vain', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const clock = clockFrom(hour)
    const files = createFiles(store, clock.now, { ...fileLimits, fileBytes: 30_000, ownerBytes: 40_000 })
    await put(files, randomBytes(25_000))
    const { uploadId } = await files.start(order({ size: 5000 }))
    clock.pass(hour)
    await assert.rejects(files.start(order({ size: 20_000 })), {
      reason: 'file_storage_full',
      retryAfterSeconds: 47 * 3600,
    })
    assert.ok(await files.findUpload(uploadId))
    await files.start(order({ size: 15_000 }))
    assert.equal(await files.findUpload(uploadId), undefined)
  })

  test('what has expired is not found, gives its name free, and a sweep leaves nothing of it', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const clock = clockFrom(hour)
    const files = createFiles(store, clock.now)
    await put(files, randomBytes(1000), { id: 'old' })
    const { uploadId } = await files.start(order({ id: 'idle' }))
    await assert.rejects(files.start(order({ id: 'old' })), { reason: 'already_exists' })
    clock.pass(48 * hour)
    assert.equal(await files.find({ owner: 'alice', id: 'old' }), undefined)
    assert.equal(await files.findUpload(uploadId), undefined)
    const young = await put(files, Buffer.from('new'), { id: 'old' })
    while ((await files.sweep()) > 0);
    assert.deepEqual(await bytesOf(files, young), Buffer.from('new'))
    assert.equal((await store.db.selectFrom('files').selectAll().execute()).length, 1)
    assert.equal((await store.db.selectFrom('file_chunks').select('upload').execute()).length, 1)
  })

  test('several instances sweep at once and drop everything that has expired, and only that', async () => {
    await using database = await engine.create()
    await using first = await openDatabase<StoreSchema>(database.url, migrations)
    await using second = await openDatabase<StoreSchema>(database.url, migrations)
    const clock = clockFrom(hour)
    const files = createFiles(first, clock.now)
    for (let count = 0; count < 30; count += 1) await put(files, Buffer.from(`${count}`))
    clock.pass(48 * hour)
    const kept = await put(files, Buffer.from('kept'))
    const instances = [files, createFiles(second, clock.now)]
    while ((await Promise.all(instances.map(({ sweep }) => sweep()))).some((count) => count > 0));
    const left = await first.db.selectFrom('files').select('id').execute()
    assert.deepEqual(left, [{ id: kept.id }])
    assert.equal((await first.db.selectFrom('file_chunks').select('upload').execute()).length, 1)
  })

  test('an upload that goes on is not swept away', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const clock = clockFrom(hour)
    const files = createFiles(store, clock.now)
    let { file } = await files.start(order())
    for (let step = 0; step < 3; step += 1) {
      clock.pass(5 * hour)
      assert.equal(await files.sweep(), 0)
      file = await files.append(file, Buffer.from('.'))
    }
    assert.equal((await files.finish(file)).size, 3)
  })

  test('what one instance began another goes on with', async () => {
    await using database = await engine.create()
    await using first = await openDatabase<StoreSchema>(database.url, migrations)
    await using second = await openDatabase<StoreSchema>(database.url, migrations)
    const here = createFiles(first, microsecondClock())
    const there = createFiles(second, microsecondClock())
    const { file, uploadId } = await here.start(order())
    await here.append(file, Buffer.from('begun here, '))
    const found = await there.findUpload(uploadId)
    assert.ok(found)
    const stored = await there.finish(await there.append(found, Buffer.from('ended there')))
    assert.equal((await bytesOf(here, stored)).toString(), 'begun here, ended there')
  })

  test('a list shows the newest first, page by page, and only what is its owner’s', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const files = createFiles(store, microsecondClock())
    for (const id of ['a', 'b', 'c']) await put(files, Buffer.from(id), { id })
    await put(files, Buffer.from('x'), { id: 'x', owner: 'bob' })
    await files.start(order({ id: 'unfinished' }))
    const pager = definePager<FilePlace>({
      id: 'files',
      style: 'page-token',
      tokens: createTokenCodec({ secrets: ['a secret of the tests, 32 characters'] }),
      sorts: { newest: fileSort },
    })
    const list = (pageToken: string): ReturnType<Files['list']> =>
      files.list({ owner: 'alice', pager, request: pager.parse({ pageSize: '2', pageToken }) })
    const page = await list('')
    assert.deepEqual(
      page.items.map(({ id }) => id),
      ['c', 'b'],
    )
    const last = await list(page.next ?? '')
    assert.deepEqual(
      last.items.map(({ id }) => id),
      ['a'],
    )
    assert.equal(last.next, null)
  })
})
