import assert from 'node:assert/strict'
import { test } from 'node:test'
import { minuteOf, readWireTime, wireTime, wireTimeOrNull } from './wire-time.ts'

const time = Date.UTC(2026, 0, 2, 3, 4, 5, 6) * 1000 + 7

test('a time is written to the microsecond, and read as it was written', () => {
  assert.equal(wireTime(time), '2026-01-02T03:04:05.006007Z')
  assert.equal(readWireTime(wireTime(time)), time)
  assert.equal(readWireTime('2026-01-02t05:04:05.0060079+02:00'), time)
  assert.equal(wireTimeOrNull(null), null)
})

for (const text of ['', '2026-01-02', '2026-02-30T00:00:00Z', '2026-01-02T25:00:00Z', '2026-01-02T03:04:05'])
  test(`"${text}" is no time of RFC 3339`, () => {
    assert.equal(readWireTime(text), undefined)
  })

test('people see the minute, or never', () => {
  assert.equal(minuteOf(wireTime(time)), '2026-01-02 03:04Z')
  assert.equal(minuteOf(null), 'never')
})
