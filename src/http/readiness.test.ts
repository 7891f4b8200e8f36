import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordingLog } from '../../test/serving/plain-server.ts'
import { createReadiness } from './readiness.ts'

test('each check is reported under its name', async () => {
  const { log } = recordingLog()
  const readiness = createReadiness({
    checks: { store: async () => {}, keys: () => Promise.reject(new Error('none')) },
    log,
  })
  assert.deepEqual(await readiness(), { store: 'ok', keys: 'failed' })
})

test('a check that hangs has failed after its time, for all who asked meanwhile, and is given up for a new one', async () => {
  const { log } = recordingLog()
  let runs = 0
  const hangOnce = (): Promise<void> => {
    runs += 1
    return runs === 1 ? new Promise(() => {}) : Promise.resolve()
  }
  const readiness = createReadiness({ checks: { store: hangOnce }, log, timeoutMs: 5 })
  const failed = { store: 'failed' }
  assert.deepEqual(await Promise.all([readiness(), readiness()]), [failed, failed])
  assert.equal(runs, 1)
  assert.deepEqual(await readiness(), { store: 'ok' })
})

test('many who ask at once share one run, and the next one runs anew', async () => {
  const { log } = recordingLog()
  let runs = 0
  const count = async (): Promise<void> => {
    runs += 1
  }
  const readiness = createReadiness({ checks: { store: count }, log })
  await Promise.all(Array.from({ length: 20 }, () => readiness()))
  assert.equal(runs, 1)
  await readiness()
  assert.equal(runs, 2)
})

test('a check that throws before it returns has failed too', async () => {
  const { log } = recordingLog()
  const readiness = createReadiness({
    checks: {
      store: () => {
        throw new Error('at once')
      },
    },
    log,
  })
  assert.deepEqual(await readiness(), { store: 'failed' })
})

test('the log hears of a failure once, with its cause, and of the recovery', async () => {
  const { log, lines } = recordingLog()
  let isDown = true
  const readiness = createReadiness({
    checks: { store: () => (isDown ? Promise.reject(new Error('connection refused')) : Promise.resolve()) },
    log,
  })
  await readiness()
  await readiness()
  isDown = false
  await readiness()
  assert.deepEqual(
    lines.map(({ level, msg, check }) => [level, msg, check]),
    [
      ['warn', 'not ready', 'store'],
      ['info', 'ready again', 'store'],
    ],
  )
  assert.match(JSON.stringify(lines[0]), /connection refused/)
})
