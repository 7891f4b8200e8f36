import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { sql } from 'kysely'
import { createLog } from '../../src/log/log.ts'
import { openStore } from '../../src/store/open-store.ts'
import type { Store } from '../../src/store/store.ts'
import { bookOn, lineOf } from '../records/audit-lines.ts'
import { type Workplace, workplace } from './call-postern.ts'

const verify = ['events', 'verify']

async function inStore(place: Workplace, work: (store: Store) => Promise<unknown>): Promise<void> {
  const file = `sqlite:${join(place.folder, 'data', 'postern.db')}`
  const store = await openStore(file, { log: createLog({ level: 'silent' }) })
  await work(store)
  await store.close()
}

test('a record that nobody touched is whole, and its last event is shown to be noted', async () => {
  await using place = await workplace()
  assert.deepEqual(await place.call(verify), { code: 0, out: 'The record is whole: 0 events.\n', err: '' })
  await inStore(place, (store) => bookOn(store).write([lineOf(), lineOf()]))
  const { code, out } = await place.call(verify)
  assert.equal(code, 0)
  const [, last = ''] = /^The record is whole: 2 events\.\n\nThe last is (2:[0-9a-f]{64})\n$/.exec(out) ?? []
  const [, hash] = last.split(':')
  assert.deepEqual(await place.json(verify), { ok: true, events: 2, head: { seq: 2, hash } })
  assert.equal((await place.call([...verify, '--expect', last])).code, 0)
})

test('a record that was changed is told with the place, and the exit code is 1', async () => {
  await using place = await workplace()
  await inStore(place, async (store) => {
    await bookOn(store).write([lineOf(), lineOf(), lineOf()])
    await sql`update audit_events set body = replace(body, 'allow', 'deny') where seq = 2`.execute(store.db)
  })
  const { code, out, err } = await place.call(verify)
  assert.deepEqual([code, out], [1, ''])
  assert.match(err, /^The record is not whole: at event 2, the event, or the one before it, is not the one/)
  const asJson = await place.call([...verify, '--json'])
  assert.equal(asJson.code, 1)
  assert.deepEqual([JSON.parse(asJson.out).ok, JSON.parse(asJson.out).at], [false, 2])
})

test('a record without the event that is expected is not whole', async () => {
  await using place = await workplace()
  await inStore(place, (store) => bookOn(store).write([lineOf()]))
  for (const missing of [`1:${'0'.repeat(64)}`, `2:${'0'.repeat(64)}`])
    assert.equal((await place.call([...verify, '--expect', missing])).code, 1)
})

test('an expectation that is none is refused with what would be one', async () => {
  await using place = await workplace()
  for (const wrong of ['7', '7:abc', `x:${'0'.repeat(64)}`, `-1:${'0'.repeat(64)}`]) {
    const { code, err } = await place.call([...verify, `--expect=${wrong}`])
    assert.equal(code, 2)
    assert.match(err, /SEQ:HASH/)
  }
})
