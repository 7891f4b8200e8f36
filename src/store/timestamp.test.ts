import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readTimestamp, timestamp, timestampOrNull } from './timestamp.ts'

const same = [
  ['2026-11-15T10:00:00Z', '2026-11-15T10:00:00.000000Z'],
  ['2026-11-15t10:00:00.5z', '2026-11-15T10:00:00.500000Z'],
  ['2026-11-15T10:00:00.123456789Z', '2026-11-15T10:00:00.123456Z'],
  ['2026-11-15T10:00:00.000001+02:00', '2026-11-15T08:00:00.000001Z'],
  ['2024-02-29T23:59:59-00:30', '2024-03-01T00:29:59.000000Z'],
  ['1969-12-31T23:59:59.999999Z', '1969-12-31T23:59:59.999999Z'],
] as const

for (const [given, shown] of same)
  test(`${given} is the moment ${shown}`, () => {
    assert.equal(timestamp(readTimestamp(given) ?? Number.NaN), shown)
  })

const none = [
  '',
  'yesterday',
  '2026-11-15',
  '2026-11-15T10:00:00',
  '2026-11-15 10:00:00Z',
  '2026-02-30T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-11-15T25:00:00Z',
  '2026-11-15T10:00:00+2:00',
  '2026-11-15T10:00:00.Z',
  '2999-01-01T00:00:00Z',
  '2026-11-15T10:00:00Z\n',
]

for (const text of none)
  test(`${JSON.stringify(text)} is no moment`, () => {
    assert.equal(readTimestamp(text), undefined)
  })

const time = Date.UTC(2026, 0, 2, 3, 4, 5, 6) * 1000 + 7

test('a time is written to the microsecond, and read as it was written', () => {
  assert.equal(timestamp(time), '2026-01-02T03:04:05.006007Z')
  assert.equal(readTimestamp(timestamp(time)), time)
  assert.equal(readTimestamp('2026-01-02t05:04:05.0060079+02:00'), time)
  assert.equal(timestampOrNull(null), null)
})

for (const text of ['', '2026-01-02', '2026-02-30T00:00:00Z', '2026-01-02T25:00:00Z', '2026-01-02T03:04:05'])
  test(`"${text}" is no time of RFC 3339`, () => {
    assert.equal(readTimestamp(text), undefined)
  })
