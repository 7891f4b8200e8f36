import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noteLine } from '../audit/audit-line.ts'
import { createEventList } from '../audit/event-list.ts'
import { createLedger } from '../audit/ledger.ts'
import { createEventIds } from '../audit/recorder-ids.ts'
import { createLog } from '../log/log.ts'
import { microsecondClock } from '../store/clock.ts'
import { openStore } from '../store/open-store.ts'
import type { Store } from '../store/store.ts'
import { createEventTail, type EventTailOptions } from './event-tail.ts'

interface Tailed extends AsyncDisposable {
  readonly store: Store
  readonly record: (count: number) => Promise<void>
  readonly tail: (options: Pick<EventTailOptions, 'filters' | 'after'>) => AsyncIterable<readonly object[]>
}

async function tailed(): Promise<Tailed> {
  const store = await openStore('sqlite::memory:', { log: createLog({ level: 'silent' }) })
  const now = microsecondClock()
  const newId = createEventIds()
  const ledger = createLedger(store, now)
  const end = new AbortController()
  let position = 0
  return {
    store,
    record: async (count) => {
      const line = (): string => noteLine({ id: newId(now()), time: now(), reason: 'dropped', count: 1 })
      const lines = Array.from({ length: count }, line)
      await ledger.append({ spool: 's', from: position, position: position + count, lines })
      position += count
    },
    tail: (options) =>
      createEventTail({
        events: createEventList(store),
        cursorOf: ({ seq }) => `behind ${seq}`,
        everyMs: 1,
        ...options,
      })(end.signal),
    [Symbol.asyncDispose]: async () => {
      end.abort()
      await store.close()
    },
  }
}

test('a reader learns where it is at the beginning, and now and then while nothing fits', async () => {
  await using place = await tailed()
  await place.record(3)
  const told: (readonly object[])[] = []
  for await (const events of place.tail({ filters: { action: 'nobody calls it' }, after: 3 })) {
    told.push(events)
    if (told.length === 2) await place.record(2)
    if (told.length === 4) break
  }
  const [first, second, , last] = told
  assert.deepEqual([first, second], [[{ id: 'behind 3' }], [{ id: 'behind 3' }]])
  assert.deepEqual(last, [{ id: 'behind 5' }])
})

test('a record that becomes shorter than a reader has seen it ends the stream', async () => {
  await using place = await tailed()
  await place.record(3)
  await assert.rejects(async () => {
    for await (const _ of place.tail({ filters: {}, after: 3 }))
      await place.store.db.updateTable('audit_chain').set({ seq: 2 }).execute()
  }, /the record ends before what was read of it/)
})
