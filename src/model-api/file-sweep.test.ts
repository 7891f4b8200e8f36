import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startModelServer } from '../../test/model-api/model-server.ts'
import { uploadFile } from '../../test/model-api/upload-calls.ts'
import { recordingLog } from '../../test/serving/plain-server.ts'
import { sqlite } from '../../test/store/engines.ts'
import { Failure } from '../failure/failure.ts'
import { migrations } from '../store/migrations.ts'
import type { StoreSchema } from '../store/store.ts'
import { createFileSweep } from './file-sweep.ts'

test('a sweep drops expired files and caches, however many there are', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  let time = 1_800_000_000_000_000
  await using server = await startModelServer({ store, now: () => time })
  const key = await server.keyFor('alice')
  for (let count = 0; count < 25; count += 1) await uploadFile(server, key, { bytes: Buffer.from('x') })
  await server.call(key, {
    method: 'POST',
    url: '/v1beta/cachedContents',
    payload: { model: 'models/words', contents: [{ parts: [{ text: 'x' }] }] },
  })
  time += 49 * 3600 * 1_000_000
  const sweep = createFileSweep({ ...server.stored, ...recordingLog() })
  await sweep.run()
  await sweep.stop()
  for (const table of ['files', 'file_chunks', 'cached_contents'] as const)
    assert.deepEqual(await store.db.selectFrom(table).selectAll().execute(), [])
})

test('the timer sweeps, says when that fails, and ends with stop', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const { log, lines } = recordingLog()
  let attempts = 0
  const away = async (): Promise<number> => {
    attempts += 1
    throw new Failure('unavailable', 'the database is away')
  }
  const sweep = createFileSweep({
    files: { sweep: away },
    cachedContents: { sweep: async () => 0 },
    log,
    everySeconds: 10,
  })
  t.mock.timers.tick(10_000)
  await assert.rejects(sweep.run())
  t.mock.timers.tick(10_000)
  await sweep.stop()
  t.mock.timers.tick(60_000)
  assert.equal(attempts, 2)
  assert.equal(lines.length, 2)
})
