import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createLog } from '../log/log.ts'
import { microsecondClock } from '../store/clock.ts'
import { openStore } from '../store/open-store.ts'
import { noteLine } from './audit-line.ts'
import { startUpkeep } from './drain-upkeep.ts'
import { createLedger } from './ledger.ts'
import { createEventIds } from './recorder-ids.ts'

test('records that are too old are removed, others stay', async () => {
  const store = await openStore('sqlite::memory:', { log: createLog({ level: 'silent' }) })
  const now = microsecondClock()
  const newId = createEventIds()
  const dayAgo = now() - 86_400_000_000
  for (const [at, time] of [dayAgo - 1_000_000, now()].entries()) {
    const line = noteLine({ id: newId(time), time, reason: 'dropped', count: at })
    await createLedger(store, () => time).append({ spool: `s${at}`, from: 0, position: 1, lines: [line] })
  }
  const upkeep = startUpkeep({
    store,
    ledger: createLedger(store, now),
    settings: { retentionDays: 1, retentionMegabytes: 1 },
    tell: (report) => assert.fail(JSON.stringify(report)),
    firstRemovalMs: 1,
  })
  const left = async (): Promise<readonly number[]> => {
    const rows = await store.db.selectFrom('audit_events').select('seq').execute()
    return rows.map(({ seq }) => seq)
  }
  while ((await left()).length === 2) await pause(5)
  assert.deepEqual(await left(), [2])
  upkeep.stop()
  await store.close()
})
