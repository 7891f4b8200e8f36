import assert from 'node:assert/strict'
import { test } from 'node:test'
import { minuteOf } from './wire-time.ts'

test('people see the minute, or never', () => {
  assert.equal(minuteOf('2026-01-02T03:04:05.006007Z'), '2026-01-02 03:04Z')
  assert.equal(minuteOf(null), 'never')
})
