import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settledRows } from './settled-rows.ts'

test('rows count as settled below the oldest transaction still running, whatever the column is called', () => {
  assert.equal(settledRows('xid'), '"xid" < pg_snapshot_xmin(pg_current_snapshot())')
  assert.equal(settledRows('a"b'), '"a""b" < pg_snapshot_xmin(pg_current_snapshot())')
})
