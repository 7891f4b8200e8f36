import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readDuration } from './duration.ts'

test('a duration is a number and its unit', () => {
  assert.deepEqual(
    ['0s', '45s', '30m', '12h', '30d'].map((text) => readDuration(text, '--expires')),
    [0, 45, 1800, 43_200, 2_592_000],
  )
})

test('anything else is refused, with what would be right', () => {
  for (const text of ['', '30', 'd', '-1d', '1.5h', '1w', '30 d', '1d2h', '9999999999d', '30D'])
    assert.throws(() => readDuration(text, '--expires'), {
      code: 'invalid-request',
      message: `--expires must be a number and one of s, m, h, d, such as 30d; not "${text}"`,
    })
})
