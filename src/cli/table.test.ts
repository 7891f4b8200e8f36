import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatTable, formatTime, growingTable, isoTime } from './table.ts'

test('columns stand below their headings', () => {
  const rows = [
    ['ada', 'Ada Lovelace', 'yes'],
    ['b', '', ''],
  ]
  assert.equal(
    formatTable(['LOGIN', 'NAME', 'ADMIN'], rows, { hasColor: false }),
    'LOGIN  NAME          ADMIN\nada    Ada Lovelace  yes\nb\n',
  )
})

test('a table in parts has its headings once, and its columns only grow', () => {
  const table = growingTable(['A', 'B'], { hasColor: false })
  assert.equal(table([['1', 'x']]), 'A  B\n1  x\n')
  assert.equal(table([['1000', 'x']]), '1000  x\n')
  assert.equal(table([['1', 'x']]), '1     x\n')
})

test('a name cannot send commands to the terminal', () => {
  const table = formatTable(['NAME'], [['\u001b[2Jgone\u202e']], { hasColor: false })
  assert.equal(table, 'NAME\n\u{fffd}[2Jgone\u{fffd}\n')
})

test('microseconds of the store are shown as times in UTC', () => {
  const time = Date.UTC(2026, 0, 2, 3, 4, 5, 6) * 1000
  assert.equal(formatTime(time), '2026-01-02 03:04Z')
  assert.equal(isoTime(time), '2026-01-02T03:04:05.006Z')
})
