import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { editDistance, nearestText } from './nearest-text.ts'

test('an insertion, deletion, replacement or swap of neighbours is one step', () => {
  assert.equal(editDistance('port', 'port'), 0)
  for (const other of ['ports', 'por', 'port1', 'sort', 'prot'])
    assert.equal(editDistance('port', other), 1, other)
  assert.equal(editDistance('kitten', 'sitting'), 3)
  assert.equal(editDistance('', 'abc'), 3)
})

test('the distance is the same both ways, and only equal texts have none', () => {
  const word = fc.string({ maxLength: 12 })
  fc.assert(
    fc.property(word, word, (a, b) => {
      assert.equal(editDistance(a, b), editDistance(b, a))
      assert.equal(editDistance(a, b) === 0, a === b)
    }),
  )
})

test('the nearest candidate is found without regard to case, and says whether it is close', () => {
  const known = ['port', 'host', 'publicUrl', 'allowedOrigins']
  assert.deepEqual(nearestText('prot', known), { text: 'port', isClose: true })
  assert.deepEqual(nearestText('PUBLICURL', known), { text: 'publicUrl', isClose: true })
  assert.deepEqual(nearestText('allowOrigin', known), { text: 'allowedOrigins', isClose: true })
  assert.equal(nearestText('timeoutMilliseconds', known)?.isClose, false)
  assert.equal(nearestText('x', []), undefined)
})
