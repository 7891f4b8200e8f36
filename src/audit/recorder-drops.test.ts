import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../failure/failure.ts'
import { parseRecord } from './audit-line.ts'
import { createDrops } from './recorder-drops.ts'

test('a note of what was dropped has the time of the clock, also when that has stepped since the start', (t) => {
  const lines: string[] = []
  const drops = createDrops({
    write: (line) => lines.push(line),
    warn: () => undefined,
    elapsed: () => performance.now(),
  })
  drops.add(new Failure('unavailable', 'it is full'))
  const later = Date.now() + 3_600_000
  t.mock.timers.enable({ apis: ['Date'], now: later })
  drops.note()
  const { time = 0, count } = parseRecord(lines[0] ?? '') ?? {}
  assert.equal(count, 1)
  assert.ok(Math.abs(time / 1000 - later) < 1000, `${time} is not ${later}`)
})
