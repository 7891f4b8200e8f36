import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordingLog } from '../../test/serving/plain-server.ts'
import { createRareWarning } from './rare-warning.ts'

test('each kind of fault is logged once a minute', () => {
  const { log, lines } = recordingLog()
  let now = 0
  const warn = createRareWarning(log, () => now)
  for (let times = 0; times < 1000; times += 1) {
    warn('it failed', new Error(String(times)))
    warn('it failed', new TypeError('another kind'))
    warn('it failed', 'no error at all')
  }
  assert.equal(lines.length, 3)
  now = 60_000
  warn('it failed', new Error('again'))
  assert.equal(lines.length, 4)
})
