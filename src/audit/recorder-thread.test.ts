import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshFolder } from '../../test/serving/spawn-postern.ts'
import { forEachEngine } from '../../test/store/engines.ts'
import { parseConfig } from '../config/parse-config.ts'
import { createLog } from '../log/log.ts'
import { openStore } from '../store/open-store.ts'
import { noteLine } from './audit-line.ts'
import { createEventIds } from './recorder-ids.ts'
import { startDrainThread } from './recorder-thread.ts'
import { createSpoolWriter } from './spool-writer.ts'

/** The real thread, which an error ends a moment after each of its first starts. */
const script = new URL(
  `data:text/javascript,${encodeURIComponent(`
  import { workerData } from 'node:worker_threads'
  const left = new Int32Array(workerData.crashes)
  if (Atomics.sub(left, 0, 1) > 0) setTimeout(() => { throw new Error('crashed') }, 60 * left[0] + 60)
  await import(${JSON.stringify(new URL('worker.ts', import.meta.url).href)})`)}`,
)

test('a thread that cannot be started again at once is started later', { timeout: 50_000 }, async () => {
  const { audit: settings } = parseConfig('', { file: 'x', env: {} })
  let starts = 0
  const setup = {
    address: 'sqlite::memory:',
    directory: '.',
    place: { folder: '.', id: 'abc-1' },
    settings,
    get turn(): number {
      starts += 1
      if (starts === 2) throw new Error('no thread to be had')
      return starts
    },
  }
  const script = new URL(
    `data:text/javascript,${encodeURIComponent(`
    import { parentPort, workerData } from 'node:worker_threads'
    if (workerData.turn > 1) parentPort.on('message', () => parentPort.postMessage({ kind: 'finished' }))
    if (workerData.turn > 1) parentPort.postMessage({ kind: 'progress', position: workerData.turn, isIdle: true })`)}`,
  )
  const errors: unknown[] = []
  const told = Promise.withResolvers<unknown>()
  const thread = startDrainThread({
    setup,
    script,
    onCrash: (error) => errors.push(error),
    tell: told.resolve,
  })
  const keepAlive = setInterval(() => undefined, 1000)
  assert.deepEqual(await told.promise, { kind: 'progress', position: 3, isIdle: true })
  clearInterval(keepAlive)
  assert.deepEqual(errors, [new Error('no thread to be had')])
  assert.equal(await thread.finish(10_000), true)
})

forEachEngine((engine) => {
  test('a thread that crashes is started again and goes on where the store is', async () => {
    await using folder = await freshFolder()
    await using database = await engine.createMigrated()
    const place = { folder: folder.path, id: 'abc-1' }
    const { audit: settings } = parseConfig('audit: { durability: strict }', { file: 'x', env: {} })
    const store = await openStore(database.url, { log: createLog({ level: 'silent' }) })
    const crashes = new SharedArrayBuffer(4)
    new Int32Array(crashes)[0] = 2
    const setup = { address: database.url, directory: folder.path, place, settings, crashes }
    const errors: unknown[] = []
    let stored = 0
    const writer = createSpoolWriter({
      place,
      segmentBytes: 20_000,
      onSegment: (start) => thread.send({ kind: 'segment', start }),
    })
    const thread = startDrainThread({
      setup,
      script,
      onCrash: (error) => errors.push(error),
      tell: (report) => {
        if (report.kind === 'progress') stored = report.position
      },
    })
    const newId = createEventIds()
    const lines: string[] = []
    while (errors.length < 2) {
      for (let count = 0; count < 5; count += 1) {
        const line = noteLine({ id: newId(1), time: 1, reason: 'dropped', count: lines.length })
        lines.push(line)
        writer.write(line)
      }
      thread.send({ kind: 'wake', end: writer.end() })
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    // The third thread begins a second later, and finds by itself what there is.
    while (stored < writer.end()) await new Promise((resolve) => setTimeout(resolve, 10))
    assert.equal(await thread.finish(10_000), true)
    const rows = await store.db.selectFrom('audit_events').select('body').orderBy('seq').execute()
    assert.deepEqual(
      rows.map(({ body }) => body),
      lines,
    )
    writer.close()
    await store.close()
  })
})
