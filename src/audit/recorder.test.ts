import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { sql } from 'kysely'
import { recordingLog } from '../../test/serving/plain-server.ts'
import { type Engine, forEachEngine } from '../../test/store/engines.ts'
import { parseConfig } from '../config/parse-config.ts'
import { Failure } from '../failure/failure.ts'
import { createLog } from '../log/log.ts'
import { openStore } from '../store/open-store.ts'
import type { Store } from '../store/store.ts'
import { noteLine } from './audit-line.ts'
import { chainHash } from './chain-hash.ts'
import { createLedger } from './ledger.ts'
import { recordIsAhead } from './ledger-clock.ts'
import { openRecorder, type Recorder, type RecorderOptions } from './recorder.ts'
import { createEventIds } from './recorder-ids.ts'
import { lockFile, type SpoolPlace, segmentFile } from './spool-files.ts'
import { foreignSpoolsFound } from './spool-foreign.ts'
import { newSpoolId } from './spool-id.ts'
import { lockSpool } from './spool-lock.ts'
import { createSpoolWriter } from './spool-writer.ts'

const root = mkdtempSync(join(tmpdir(), 'postern-recorder-'))
after(() => rmSync(root, { recursive: true }))
const silent = createLog({ level: 'silent' })
const newId = createEventIds()

interface House extends AsyncDisposable {
  readonly store: Store
  readonly options: RecorderOptions
  readonly folder: string
  readonly bodies: () => Promise<readonly string[]>
}

async function house(engine: Engine, durability: 'grouped' | 'strict'): Promise<House> {
  const database = await engine.createMigrated()
  const store = await openStore(database.url, { log: silent })
  const folder = mkdtempSync(join(root, 'spool-'))
  const settings = { ...parseConfig('', { file: 'x', env: {} }).audit, durability, spool: folder }
  return {
    store,
    folder,
    options: { address: database.url, directory: root, settings, store, log: silent },
    bodies: async () => {
      const rows = await store.db.selectFrom('audit_events').select('body').orderBy('seq').execute()
      return rows.map(({ body }) => body)
    },
    [Symbol.asyncDispose]: async () => {
      await store.close()
      await database[Symbol.asyncDispose]()
    },
  }
}

function someLines(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) =>
    noteLine({ id: newId(Date.now() * 1000), time: 1, reason: 'dropped', count: index }),
  )
}

/** What a process that was killed leaves behind. */
function leaveSpool({ options, folder }: House, lines: readonly string[], address?: string): SpoolPlace {
  const place = { folder, id: newSpoolId(address ?? options.address, root) }
  const writer = createSpoolWriter({ place, segmentBytes: 2000, onSegment: () => undefined })
  for (const line of lines) writer.write(line)
  writer.close()
  return place
}

async function isStored({ bodies }: House, count: number): Promise<readonly string[]> {
  const deadline = performance.now() + 40_000
  for (;;) {
    const found = await bodies()
    if (found.length >= count) return found
    if (performance.now() > deadline) throw new Error(`only ${found.length} of ${count} were stored`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

async function allRecorded(recorder: Recorder, lines: readonly string[]): Promise<void> {
  await Promise.all(lines.map(async (line) => recorder.record(line)))
}

forEachEngine((engine) => {
  test('grouped: closing brings everything into the store, in order, and leaves no file', async () => {
    await using at = await house(engine, 'grouped')
    const recorder = await openRecorder(at.options)
    const lines = someLines(3000)
    const [first = '', ...rest] = lines
    void recorder.record(first)
    // On a busy machine a thread takes longer to start than closing waits.
    await isStored(at, 1)
    for (const line of rest) void recorder.record(line)
    await recorder.close()
    assert.deepEqual(await at.bodies(), lines)
    assert.deepEqual(readdirSync(at.folder), [])
    assert.deepEqual(await at.store.db.selectFrom('audit_spools').select('id').execute(), [])
    assert.deepEqual(recorder.state(), { waiting: 0, dropped: 0, spoolBytes: 0 })
  })

  test('that the record is ahead of the clock is said in the log', async () => {
    await using at = await house(engine, 'strict')
    const { log, lines } = recordingLog()
    const [first = '', second = ''] = someLines(2)
    const fast = createLedger(at.store, () => 4_000_000_000_000_000)
    await fast.append({ spool: 'fast', from: 0, position: 1, lines: [first] })
    const recorder = await openRecorder({ ...at.options, log })
    await recorder.record(second)
    await recorder.close()
    assert.deepEqual(
      lines.flatMap(({ level, msg }) => (msg === recordIsAhead ? [level] : [])),
      ['error'],
    )
  })

  test('grouped: a record is in the store a moment later without anybody asking', async () => {
    await using at = await house(engine, 'grouped')
    const recorder = await openRecorder(at.options)
    const [first = '', second = ''] = someLines(2)
    void recorder.record(first)
    await isStored(at, 1)
    void recorder.record(second)
    assert.deepEqual(await isStored(at, 2), [first, second])
    await recorder.close()
  })

  test('strict: when the promise is kept, the event is in the store and the chain holds', async () => {
    await using at = await house(engine, 'strict')
    const recorder = await openRecorder(at.options)
    for (const lines of [someLines(1), someLines(200)]) {
      const before = (await at.bodies()).length
      await allRecorded(recorder, lines)
      assert.equal((await at.bodies()).length, before + lines.length)
    }
    await recorder.close()
    const rows = await at.store.db.selectFrom('audit_events').selectAll().orderBy('seq').execute()
    let previous = ''
    for (const [index, row] of rows.entries()) {
      assert.equal(row.seq, index + 1)
      previous = chainHash(previous, row)
      assert.equal(row.hash, previous)
    }
  })

  test('what a dead process left is taken over, but for what it had stored itself', async () => {
    await using at = await house(engine, 'grouped')
    const lines = someLines(100)
    const place = leaveSpool(at, lines)
    const stored = lines.slice(0, 40)
    const position = Buffer.byteLength(stored.join('\n')) + 1
    await createLedger(at.store, () => 1).append({ spool: place.id, from: 0, position, lines: stored })
    const recorder = await openRecorder(at.options)
    assert.deepEqual(await isStored(at, 100), lines)
    await recorder.close()
    assert.deepEqual(await at.bodies(), lines)
  })

  test('what a living process writes, or one with another store, is left alone', async () => {
    await using at = await house(engine, 'grouped')
    const { log, lines } = recordingLog()
    const living = leaveSpool(at, someLines(3))
    const lock = lockSpool(lockFile(living))
    const foreign = leaveSpool(at, someLines(3), 'postgres://elsewhere.example/postern')
    const otherLiving = leaveSpool(at, someLines(5), 'postgres://another.example/postern')
    const otherLock = lockSpool(lockFile(otherLiving))
    const dead = leaveSpool(at, someLines(3))
    const recorder = await openRecorder({ ...at.options, log })
    await isStored(at, 3)
    await recorder.close()
    lock?.release()
    otherLock?.release()
    assert.equal((await at.bodies()).length, 3)
    const left = readdirSync(at.folder).map((name) => name.split('.')[0])
    assert.deepEqual(new Set(left), new Set([living.id, foreign.id, otherLiving.id]))
    assert.ok(!left.includes(dead.id))
    const bytes = statSync(segmentFile(foreign, 0)).size
    assert.deepEqual(
      lines.flatMap(({ level, msg, spools, bytes }) =>
        msg === foreignSpoolsFound ? [{ level, spools, bytes }] : [],
      ),
      [{ level: 'warn', spools: 1, bytes }],
    )
  })

  test('a store that does not take records is asked again until it does; nothing is lost or doubled', async () => {
    await using at = await house(engine, 'strict')
    await sql`alter table audit_events rename to audit_events_gone`.execute(at.store.db)
    const recorder = await openRecorder(at.options)
    const lines = someLines(20)
    const told = allRecorded(recorder, lines)
    await new Promise((resolve) => setTimeout(resolve, 300))
    assert.equal(recorder.state().waiting, 20)
    await sql`alter table audit_events_gone rename to audit_events`.execute(at.store.db)
    await told
    assert.deepEqual(await at.bodies(), lines)
    await recorder.close()
  })

  test('what the store does not take before the end is left for the next one', async () => {
    await using at = await house(engine, 'grouped')
    await sql`alter table audit_events rename to audit_events_gone`.execute(at.store.db)
    const recorder = await openRecorder(at.options)
    const lines = someLines(20)
    for (const line of lines) void recorder.record(line)
    await recorder.close()
    assert.equal(readdirSync(at.folder).length, 2)
    await sql`alter table audit_events_gone rename to audit_events`.execute(at.store.db)
    const next = await openRecorder(at.options)
    assert.deepEqual(await isStored(at, 20), lines)
    await next.close()
    assert.deepEqual(readdirSync(at.folder), [])
  })
})

test('a store in memory keeps its records too', async () => {
  const store = await openStore('sqlite::memory:', { log: silent })
  for (const durability of ['grouped', 'strict'] as const) {
    const settings = { ...parseConfig('', { file: 'x', env: {} }).audit, durability }
    const address = 'sqlite::memory:'
    const recorder = await openRecorder({ address, directory: root, settings, store, log: silent })
    await allRecorded(recorder, someLines(50))
    await recorder.close()
  }
  const { seq } = await store.db.selectFrom('audit_chain').select('seq').executeTakeFirstOrThrow()
  assert.equal(seq, 100)
  await store.close()
})

test('a spool that cannot be a folder is refused at the start, and named', async () => {
  const spool = join(root, 'a-file')
  writeFileSync(spool, '')
  const settings = { ...parseConfig('', { file: 'x', env: {} }).audit, spool }
  const store = await openStore('sqlite::memory:', { log: silent })
  const opening = openRecorder({ address: 'sqlite:x.db', directory: root, settings, store, log: silent })
  await assert.rejects(opening, (error) => error instanceof Failure && error.field === 'audit.spool')
  await store.close()
})
