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

const session = (end: string): readonly string[] => [
  `01a1dee1-e776-7676-9e48-2b3587ea${end}`,
  'revoked',
  `e2a0f6b4-4a4e-4d7e-8f5a-1f0c9d3b${end}`,
  'models',
  'service-account',
  'https://app.example/oauth/client-metadata.json',
  '12345',
  '123',
  '2026-11-15 10:20Z',
]
const sessionHeadings = ['ID', 'STATE', 'WHO', 'SURFACE', 'BY', 'CLIENT', 'CALLS', 'DENIED', 'LAST SEEN']
const sessionRows = [session('84fc'), session('0001')]

test('on a screen the long cells of a list lose their middle, so that every row fits', () => {
  for (const columns of [80, 100, 120, 160]) {
    const screen = () => ({ columns, rows: 24 })
    const lines = growingTable(sessionHeadings, { hasColor: false, screen })(sessionRows)
      .trimEnd()
      .split('\n')
    assert.equal(lines.length, 3)
    for (const line of lines) assert.ok(line.length <= columns, `${columns}: ${line}`)
    assert.match(lines[1] ?? '', /^01.*fc {2}revoked {2}e2.*fc {2}models .* 12345 {2}123 +2026-11-15 10:20Z$/)
    assert.match(lines[1] ?? '', /…/)
    assert.notEqual(lines[1], lines[2])
  }
})

test('the first cell of a row, which other commands take, is the last one to be shortened', () => {
  const screen = () => ({ columns: 140, rows: 24 })
  const table = growingTable(sessionHeadings, { hasColor: false, screen })(sessionRows)
  assert.match(table, /^01a1dee1-e776-7676-9e48-2b3587ea84fc {2}revoked {2}e2a.*…/m)
})

test('a pipe, a wide screen and a table that is no list have every cell whole', () => {
  const screen = () => ({ columns: 400, rows: 24 })
  const whole = growingTable(sessionHeadings, { hasColor: false })(sessionRows)
  assert.doesNotMatch(whole, /…/)
  assert.equal(growingTable(sessionHeadings, { hasColor: false, screen })(sessionRows), whole)
  assert.equal(formatTable(sessionHeadings, sessionRows, { hasColor: false }), whole)
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
