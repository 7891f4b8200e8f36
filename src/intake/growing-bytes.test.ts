import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GrowingBytes } from './growing-bytes.ts'

const letters = Buffer.from('abcdefghijklmnopqrstuvwxyz'.repeat(4000))

/** In how many places the bytes lay one after the other, when they came one by one. */
function places(bytes: GrowingBytes): number {
  let last: Buffer | undefined
  let count = 0
  for (let index = 0; index < letters.length; index += 1) {
    bytes.append(letters.subarray(index, index + 1))
    const all = bytes.all()
    if (last?.buffer !== all.buffer || last.byteOffset !== all.byteOffset) count += 1
    last = all
  }
  return count
}

test('bytes that come one by one are moved as often as their number can be doubled', () => {
  const bytes = new GrowingBytes(2 ** 20)
  assert.ok(places(bytes) <= 2 + Math.log2(letters.length))
  assert.deepEqual(bytes.all(), letters)
})

test('bytes that are announced are moved once', () => {
  const bytes = new GrowingBytes(2 ** 20, letters.length)
  assert.equal(places(bytes), 2)
  assert.deepEqual(bytes.all(), letters)
})

test('what comes in one piece is kept as it is, and never written to', () => {
  const bytes = new GrowingBytes(100)
  const piece = Buffer.from('abcdef').subarray(0, 3)
  bytes.append(Buffer.alloc(0))
  bytes.append(piece)
  assert.equal(bytes.all(), piece)
  bytes.append(Buffer.from('xyz'))
  assert.equal(String(bytes.all()), 'abcxyz')
  assert.equal(Buffer.from(piece.buffer, piece.byteOffset, 6).toString(), 'abcdef')
})

test('room is made for twice what has come, for what is announced, and for no more than the most', () => {
  const roomOf = (most: number, announced?: number): number => {
    const bytes = new GrowingBytes(most, announced)
    bytes.append(Buffer.alloc(100_000))
    bytes.append(Buffer.alloc(100_000))
    return bytes.all().buffer.byteLength
  }
  assert.equal(roomOf(1_000_000), 400_000)
  assert.equal(roomOf(300_000), 300_000)
  assert.equal(roomOf(1_000_000, 700_000), 700_000)
  assert.equal(roomOf(1_000_000, 2_000_000), 1_000_000)
  assert.equal(roomOf(1), 200_000)
})

test('what was given out stays as it is, whatever comes later', () => {
  const bytes = new GrowingBytes(100)
  for (const text of ['a', 'b', 'c']) bytes.append(Buffer.from(text))
  const early = bytes.all()
  bytes.append(Buffer.from('d'))
  bytes.clear()
  assert.deepEqual([bytes.length, String(bytes.all())], [0, ''])
  for (const text of ['x', 'y', 'z']) bytes.append(Buffer.from(text))
  assert.deepEqual([String(early), String(bytes.all())], ['abc', 'xyz'])
})
