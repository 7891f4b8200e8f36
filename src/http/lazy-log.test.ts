import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordingLog } from '../../test/serving/plain-server.ts'
import { lazyLog } from './lazy-log.ts'

test('a line of a child carries the bindings of the child and of its parents', () => {
  const { log, lines } = recordingLog()
  const request = lazyLog(log).child({ request_id: 'r1' })
  request.info({ size: 3 }, 'first')
  request.child({ part: 'x' }).warn('second')
  assert.deepEqual(
    lines.map(({ level, request_id, part, size, msg }) => [level, request_id, part, size, msg]),
    [
      ['info', 'r1', undefined, 3, 'first'],
      ['warn', 'r1', 'x', undefined, 'second'],
    ],
  )
})

test('a child made later follows the level of the log, and every level has its method', () => {
  const { log, lines } = recordingLog()
  log.level = 'trace'
  const child = lazyLog(log).child({})
  assert.equal(child.level, 'trace')
  for (const level of ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const)
    child[level]('line')
  assert.deepEqual(
    lines.map(({ level }) => level),
    ['fatal', 'error', 'warn', 'info', 'debug', 'trace'],
  )
})

test('the level of one child is its own', () => {
  const { log, lines } = recordingLog()
  const quiet = lazyLog(log)
  quiet.level = 'error'
  quiet.info('unheard')
  log.info('heard')
  assert.deepEqual(
    lines.map(({ msg }) => msg),
    ['heard'],
  )
})
