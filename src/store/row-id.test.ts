import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { microsecondClock } from './clock.ts'
import { rowId } from './row-id.ts'

test('an id is a UUID of version 7 with the time in front and the random bytes behind', () => {
  // The example of RFC 9562, appendix A.6, with its own random bits.
  const random = Buffer.from('18c4dc0c0c07398f', 'hex')
  assert.equal(rowId(1_645_557_742_000_000, random), '017f22e2-79b0-7000-98c4-dc0c0c07398f')
})

test('ids made from successive microseconds sort in that order, whatever the random bytes', () => {
  const highFirst = [Buffer.alloc(8, 0xff), Buffer.alloc(8, 0)]
  for (let microsecond = 0; microsecond < 2000; microsecond += 1) {
    const [earlier, later] = highFirst.map((random, step) =>
      rowId(1_795_000_000_000_000 + microsecond + step, random),
    )
    assert(String(earlier) < String(later))
  }
})

test('twenty thousand ids of one clock are distinct and in order', () => {
  const now = microsecondClock()
  const ids = Array.from({ length: 20_000 }, () => rowId(now(), randomBytes(8)))
  assert.equal(new Set(ids).size, ids.length)
  assert(ids.every((id, index) => index === 0 || id > String(ids[index - 1])))
})

test('too little randomness is refused', () => {
  assert.throws(() => rowId(0, new Uint8Array(7)), RangeError)
})
