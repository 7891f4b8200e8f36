import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { refusal } from '../../test/paging/event-list.ts'
import { type LimitRule, readLimit, readOffset } from './page-number.ts'

const strict: LimitRule = { default: 20, maximum: 100, overMaximum: 'refuse', zero: 'refuse' }
const aip: LimitRule = { default: 50, maximum: 1000, overMaximum: 'lower', zero: 'default' }

/** Numbers to JavaScript, but not to somebody who counts rows. */
const notWhole: readonly unknown[] = [
  '',
  ' ',
  ' 5',
  '5 ',
  '5\n',
  '-1',
  '-0',
  '+5',
  '05',
  '1.0',
  '1.5',
  '1e1',
  '0x10',
  '0b1',
  '1_0',
  'five',
  'NaN',
  'Infinity',
  '\u0665',
  '5,5',
  '5\0',
  5,
  5n,
  null,
  true,
  ['5'],
  {},
]

test('an absent limit is the default', () => {
  assert.equal(readLimit(strict, 'limit', undefined), 20)
  assert.equal(readLimit(aip, 'pageSize', undefined), 50)
})

test('a limit within its range is taken as it is, at both ends', () => {
  for (const limit of [1, 2, 99, 100]) assert.equal(readLimit(strict, 'limit', String(limit)), limit)
})

test('a limit outside its range is refused by name and range, never lowered', () => {
  for (const given of ['0', '101', '1000', '9'.repeat(400)]) {
    const failure = refusal(() => readLimit(strict, 'limit', given))
    assert.deepEqual(
      [failure.code, failure.reason, failure.field],
      ['invalid-request', 'invalid_limit', 'limit'],
    )
    assert.equal(failure.message, 'limit must be a whole number from 1 to 100')
  }
})

test('a limit that is not plain digits is refused', () => {
  for (const given of notWhole)
    for (const rule of [strict, aip])
      assert.equal(refusal(() => readLimit(rule, 'limit', given)).reason, 'invalid_limit', String(given))
})

test('AIP-158: a page size of 0 is the default, one too large is lowered, a negative one is refused', () => {
  assert.equal(readLimit(aip, 'pageSize', '0'), 50)
  assert.equal(readLimit(aip, 'pageSize', '1000'), 1000)
  for (const large of ['1001', '2147483648', '9'.repeat(400)])
    assert.equal(readLimit(aip, 'pageSize', large), 1000)
  const failure = refusal(() => readLimit(aip, 'pageSize', '-1'))
  assert.deepEqual([failure.reason, failure.field], ['invalid_limit', 'pageSize'])
  assert.equal(failure.message, 'pageSize must be a whole number of 0 or more')
})

test('the message says the range that the rule really has', () => {
  const failure = refusal(() => readLimit({ ...strict, zero: 'default' }, 'size', '101'))
  assert.equal(failure.message, 'size must be a whole number from 0 to 100')
  assert.equal(
    refusal(() => readLimit({ ...strict, overMaximum: 'lower' }, 'size', '0')).message,
    'size must be a whole number of 1 or more',
  )
})

test('an offset up to the ceiling is taken as it is, and an absent one is 0', () => {
  assert.equal(readOffset(10_000, 'offset', undefined), 0)
  for (const offset of [0, 1, 7, 9_999, 10_000])
    assert.equal(readOffset(10_000, 'offset', String(offset)), offset)
})

test('an offset above the ceiling is refused, and the message leads to filters', () => {
  for (const given of ['10001', '9007199254740993', '9'.repeat(400)]) {
    const failure = refusal(() => readOffset(10_000, 'offset', given))
    assert.deepEqual([failure.reason, failure.field], ['invalid_offset', 'offset'])
    assert.equal(failure.message, 'offset must be at most 10000: narrow the list by its filters')
  }
})

test('an offset that is not plain digits is refused', () => {
  for (const given of notWhole) {
    const failure = refusal(() => readOffset(10_000, 'offset', given))
    assert.equal(failure.reason, 'invalid_offset', String(given))
    assert.equal(failure.message, 'offset must be a whole number of 0 or more')
  }
})

test('exactly the plain spellings of 1 to 100 are limits', () => {
  const spellings = fc.oneof(
    fc.string(),
    fc.integer({ min: -5, max: 200 }).map(String),
    fc.double().map(String),
  )
  fc.assert(
    fc.property(spellings, (given) => {
      if (/^([1-9]|[1-9]\d|100)$/.test(given)) assert.equal(String(readLimit(strict, 'limit', given)), given)
      else assert.equal(refusal(() => readLimit(strict, 'limit', given)).reason, 'invalid_limit')
    }),
  )
})
