import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { eventTokens, refusal } from '../../test/paging/event-list.ts'
import { compilePage } from './compile-page.ts'
import { exactValue, type KeyValue, positionOf } from './key-value.ts'
import { definePager } from './pager.ts'
import type { KeyType, SortKey } from './sort.ts'

const bytes = Uint8Array.of(0, 255)

const exact = {
  integer: [
    [0, 0],
    [-0, 0],
    [2 ** 53 - 1, 2 ** 53 - 1],
    [1n, 1],
    ['9007199254740991', 9007199254740991],
    ['9007199254740993', 9007199254740993n],
    [9007199254740993n, 9007199254740993n],
    ['-9223372036854775808', -9223372036854775808n],
    [9223372036854775807n, 9223372036854775807n],
  ],
  decimal: [
    ['0', '0'],
    ['-12345678901234567890.000000000000000001', '-12345678901234567890.000000000000000001'],
  ],
  float: [
    [-0, 0],
    [0.1, 0.1],
    [1e21, 1e21],
    [Number.MIN_VALUE, Number.MIN_VALUE],
  ],
  text: [
    ['', ''],
    ['a\0b', 'a\0b'],
    ['\u00e9', '\u00e9'],
    ['e\u0301', 'e\u0301'],
    ['\u{1f600}', '\u{1f600}'],
  ],
  uuid: [['00000000-0000-4000-8000-0123456789ab', '00000000-0000-4000-8000-0123456789ab']],
  boolean: [
    [true, true],
    [0, false],
    [1, true],
    [0n, false],
    [1n, true],
  ],
  timestamptz: [
    ['2026-11-15 10:00:00.123456+00', '2026-11-15 10:00:00.123456+00'],
    ['2026-11-15T10:00:00Z', '2026-11-15T10:00:00Z'],
    ['0044-03-15 12:00:00+00:53:28 BC', '0044-03-15 12:00:00+00:53:28 BC'],
    ['-infinity', '-infinity'],
  ],
  timestamp: [
    ['2026-11-15 10:00:00.000001', '2026-11-15 10:00:00.000001'],
    ['infinity', 'infinity'],
  ],
  date: [
    ['2026-11-15', '2026-11-15'],
    ['12026-01-01', '12026-01-01'],
  ],
  bytes: [[bytes, bytes]],
} as const satisfies Record<KeyType, readonly (readonly [given: unknown, carried: KeyValue])[]>

const when = new Date(Date.UTC(2026, 10, 15))

const inexact = {
  integer: [2 ** 53, 1.5, 1e21, Number.NaN, Infinity, '', '1.0', '1e3', ' 1', '1n', true, when, 2n ** 63n],
  decimal: ['', '1e5', 'NaN', '.5', '1.', '+1', '1\n', 1, 1n, 0.1],
  float: [Number.NaN, Infinity, -Infinity, '1', 1n, true],
  text: ['\ud800', 'a\udc00b', 1, when, bytes],
  uuid: ['', '00000000-0000-4000-8000-0123456789AB', '000000000000400080000123456789ab', '{}', 1],
  boolean: [2, -1, 'true', 't', '', 2n],
  timestamptz: [when, '2026-11-15 10:00:00', '15.11.2026', 'now', 'infinity\n', 1763164800000, ''],
  timestamp: [when, '2026-11-15 10:00:00+00', '2026-11-15', 1763164800000n, ''],
  date: [when, '2026-11-15 10:00:00', '26-11-15', 20261115],
  bytes: ['\\x00ff', [0, 255], new ArrayBuffer(2), 255],
} as const satisfies Record<KeyType, readonly unknown[]>

for (const type of keyTypes()) {
  const key: SortKey = { column: 'k', type, direction: 'ascending' }

  test(`${type}: exact values are carried as they are`, () => {
    for (const [given, carried] of exact[type]) assert.deepEqual(exactValue(key, given), carried)
  })

  test(`${type}: what a token could not carry exactly is refused out loud`, () => {
    for (const value of inexact[type]) {
      const failure = refusal(() => exactValue(key, value))
      assert.equal(failure.code, 'internal')
      assert.match(failure.message, new RegExp(`^sort key "k" \\(${type}\\): .* is not exact$`, 's'))
    }
  })

  test(`${type}: null is carried only by a key that is declared to have it`, () => {
    assert.equal(exactValue({ ...key, nulls: 'last' }, null), null)
    assert.match(refusal(() => exactValue(key, null)).message, /null in a key declared without `nulls`/)
  })

  test(`${type}: a column that is not in the row is refused, nullable or not`, () => {
    assert.match(refusal(() => positionOf({}, [key])).message, /a missing column/)
    assert.match(refusal(() => positionOf({}, [{ ...key, nulls: 'first' }])).message, /a missing column/)
  })
}

test('the refusal of a Date says what to do instead', () => {
  const key: SortKey = { column: 'created_at', type: 'timestamptz', direction: 'ascending' }
  assert.equal(
    refusal(() => exactValue(key, when)).message,
    'sort key "created_at" (timestamptz): a Date keeps milliseconds only, so have the driver return the text of the database; it is not exact',
  )
})

test('a refusal tells the type of a text or a bigint, not its value, which may be private', () => {
  const secretive: readonly [KeyType, unknown][] = [
    ['decimal', '100,000 a year'],
    ['float', '98765'],
    ['integer', 98765432109876543210n],
  ]
  for (const [type, value] of secretive) {
    const failure = refusal(() => exactValue({ column: 'pay', type, direction: 'ascending' }, value))
    assert.equal(failure.message.includes(String(value)), false, failure.message)
  }
})

test('a position is the row at the keys of the sort, in their order', () => {
  const sort: readonly SortKey[] = [
    { column: 'b', type: 'text', direction: 'ascending' },
    { column: 'a', type: 'integer', direction: 'descending', unique: true },
  ]
  assert.deepEqual(positionOf({ a: 1, b: 'x', c: true }, sort), ['x', 1])
})

test('nanoseconds that a driver rounded to a number are refused instead of paged by', () => {
  const key: SortKey = { column: 'at_ns', type: 'integer', direction: 'ascending' }
  assert.match(
    refusal(() => positionOf({ at_ns: Number('1763164800123456789') }, [key])).message,
    /the number 1763164800123456800/,
  )
})

test('nanoseconds one apart are walked exactly on SQLite that reads bigints, and not at all without', () => {
  using db = new DatabaseSync(':memory:')
  db.exec('CREATE TABLE ticks (id TEXT PRIMARY KEY, at_ns INTEGER NOT NULL) STRICT')
  const add = db.prepare('INSERT INTO ticks VALUES (?, ?)')
  const first = 1763164800123456700n
  for (let tick = 0n; tick < 25n; tick += 1n) add.run(`t${tick}`, first + tick)
  const pager = definePager<{ id: string; at_ns: bigint | number }>({
    id: 'ticks',
    style: 'cursor',
    tokens: eventTokens(),
    sorts: {
      oldest: [
        { column: 'at_ns', type: 'integer', direction: 'ascending' },
        { column: 'id', type: 'text', direction: 'ascending', unique: true },
      ],
    },
  })
  const seen: unknown[] = []
  let cursor: string | undefined
  do {
    const request = pager.parse({ cursor, limit: '4' })
    const { sql, params } = compilePage(
      pager.plan(request),
      { sql: 'SELECT * FROM ticks', params: [] },
      'sqlite',
    )
    const statement = db.prepare(sql)
    assert.throws(() => statement.all(...bindable(params)), { code: 'ERR_OUT_OF_RANGE' })
    statement.setReadBigInts(true)
    const rows = statement.all(...bindable(params)).map((row) => ({
      id: String(row.id),
      at_ns: BigInt(String(row.at_ns)),
    }))
    const page = pager.finish(request, rows)
    seen.push(...page.items.map((row) => row.at_ns))
    cursor = page.next ?? undefined
  } while (cursor !== undefined)
  assert.deepEqual(
    seen,
    Array.from({ length: 25 }, (_, tick) => first + BigInt(tick)),
  )
})

function keyTypes(): readonly KeyType[] {
  return [
    'integer',
    'decimal',
    'float',
    'text',
    'uuid',
    'boolean',
    'timestamptz',
    'timestamp',
    'date',
    'bytes',
  ]
}

function bindable(params: readonly unknown[]): (string | number | bigint)[] {
  return params.map((value) => {
    assert.ok(typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint')
    return value
  })
}
