import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { positionFromBytes, positionToBytes } from './key-bytes.ts'
import { exactValue, type KeyValue, type Position } from './key-value.ts'
import type { KeyType, SortKey } from './sort.ts'

const digits = fc.stringMatching(/^-?\d{1,30}(\.\d{1,30})?$/)
const microseconds = fc.integer({ min: 0, max: 999_999 }).map((us) => String(us).padStart(6, '0'))

const values = {
  integer: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  decimal: digits,
  float: fc.double({ noNaN: true, noDefaultInfinity: true }),
  text: fc.array(fc.nat(0xffff)).map((codes) => String.fromCharCode(...codes).toWellFormed()),
  uuid: fc.uuid(),
  boolean: fc.boolean(),
  timestamptz: microseconds.map((us) => `2026-11-15 10:00:00.${us}+00`),
  timestamp: microseconds.map((us) => `2026-11-15 10:00:00.${us}`),
  date: fc.constantFrom('2026-11-15', '0044-03-15 BC', 'infinity', '-infinity'),
  bytes: fc.uint8Array(),
} as const satisfies Record<KeyType, fc.Arbitrary<KeyValue>>

const types = fc.constantFrom(
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
)

interface Placed {
  readonly key: SortKey
  readonly value: KeyValue
}

const placed: fc.Arbitrary<Placed> = fc
  .tuple(types, fc.boolean(), fc.boolean())
  .chain(([type, nullable, isNull]) => {
    const key: SortKey = { column: 'k', type, direction: 'ascending', ...(nullable ? { nulls: 'last' } : {}) }
    const given: fc.Arbitrary<KeyValue> = nullable && isNull ? fc.constant(null) : values[type]
    return given.map((value) => ({ key, value: exactValue(key, value) }))
  })

test('every position of every type comes back from its bytes unchanged', () => {
  fc.assert(
    fc.property(fc.array(placed, { minLength: 1, maxLength: 5 }), (all) => {
      const keys = all.map(({ key }) => key)
      const position = all.map(({ value }) => value)
      assert.deepEqual(positionFromBytes(positionToBytes(position, keys), keys), position)
    }),
    { numRuns: 2000 },
  )
})

const edges: readonly (readonly [KeyType, KeyValue])[] = [
  ['integer', 0],
  ['integer', -1],
  ['integer', 2 ** 53 - 1],
  ['integer', -(2 ** 53 - 1)],
  ['integer', 9007199254740992n],
  ['integer', 9007199254740993n],
  ['integer', -9223372036854775808n],
  ['integer', 9223372036854775807n],
  ['float', Number.MIN_VALUE],
  ['float', -Number.MAX_VALUE],
  ['float', 0.1],
  ['text', ''],
  ['text', '\0'],
  ['text', '\u00e9'],
  ['text', 'e\u0301'],
  ['text', '\ufeff byte order mark'],
  ['text', '\ufffd'],
  ['text', 'x'.repeat(65_535)],
  ['boolean', false],
  ['boolean', true],
  ['uuid', 'ffffffff-0000-4000-8000-000000000000'],
  ['bytes', new Uint8Array(0)],
  ['bytes', Uint8Array.of(0, 255, 10)],
]

test('the edges of each type come back unchanged', () => {
  for (const [type, value] of edges) {
    const keys: readonly SortKey[] = [{ column: 'k', type, direction: 'descending' }]
    assert.deepEqual(positionFromBytes(positionToBytes([value], keys), keys), [value])
  }
})

test('null and the empty value of a type are two things', () => {
  const keys: readonly SortKey[] = [{ column: 'k', type: 'text', direction: 'ascending', nulls: 'first' }]
  assert.notDeepEqual(positionToBytes([null], keys), positionToBytes([''], keys))
})

test('null is not read into a key that cannot be null', () => {
  const nullable: readonly SortKey[] = [{ column: 'k', type: 'text', direction: 'ascending', nulls: 'first' }]
  const never: readonly SortKey[] = [{ column: 'k', type: 'text', direction: 'ascending' }]
  const bytes = positionToBytes([null], nullable)
  assert.deepEqual(positionFromBytes(bytes, nullable), [null])
  assert.equal(positionFromBytes(bytes, never), undefined)
})

test('bytes that are cut, continued or marked otherwise are not a position', () => {
  const keys: readonly SortKey[] = [
    { column: 'a', type: 'text', direction: 'ascending' },
    { column: 'b', type: 'integer', direction: 'ascending', unique: true },
  ]
  const bytes = positionToBytes(['word', 7], keys)
  for (let length = 0; length < bytes.length; length += 1)
    assert.equal(positionFromBytes(bytes.subarray(0, length), keys), undefined, `${length} bytes`)
  assert.equal(positionFromBytes(Buffer.concat([bytes, Buffer.of(0)]), keys), undefined)
  assert.equal(positionFromBytes(Buffer.concat([Buffer.of(2), bytes.subarray(1)]), keys), undefined)
})

test('a position of other keys is not read as one of these, and random bytes never crash', () => {
  const keys = fc.array(
    fc.record({
      column: fc.constant('k'),
      type: types,
      direction: fc.constantFrom('ascending', 'descending'),
    }),
    { maxLength: 4 },
  )
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), keys, (bytes, sort) => {
      const position: Position | undefined = positionFromBytes(Buffer.from(bytes), sort)
      if (position !== undefined) assert.equal(position.length, sort.length)
    }),
    { numRuns: 2000 },
  )
})
