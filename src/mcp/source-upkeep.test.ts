import assert from 'node:assert/strict'
import { beforeEach, mock, test } from 'node:test'
import { startUpkeep, type Upkeep } from './source-upkeep.ts'

const pauses = { successMs: 1000, retryMs: 10, maxRetryMs: 35 }

beforeEach(() => {
  mock.timers.reset()
  mock.timers.enable({ apis: ['setTimeout'] })
})

/** Runs that end as they are told to. */
function counting(outcomes: readonly boolean[]): { readonly upkeep: Upkeep; readonly runs: () => number } {
  let runs = 0
  const upkeep = startUpkeep(async () => {
    runs += 1
    return outcomes[runs - 1] ?? true
  }, pauses)
  return { upkeep, runs: () => runs }
}

async function pass(ms: number): Promise<void> {
  mock.timers.tick(ms)
  for (let turn = 0; turn < 5; turn += 1) await Promise.resolve()
}

test('after a success the next run comes at the steady pace', async () => {
  const { upkeep, runs } = counting([])
  await upkeep.now()
  await pass(999)
  assert.equal(runs(), 1)
  await pass(1)
  assert.equal(runs(), 2)
})

test('after failures the pauses double up to the limit, and a success ends them', async () => {
  const { upkeep, runs } = counting([false, false, false, false, true])
  await upkeep.now()
  const seen: number[] = []
  for (const ms of [10, 20, 35, 35, 999]) {
    await pass(ms)
    seen.push(runs())
  }
  assert.deepEqual(seen, [2, 3, 4, 5, 5])
})

test('runs never overlap: whoever asks during one joins it', async () => {
  const { upkeep, runs } = counting([])
  await Promise.all([upkeep.now(), upkeep.now()])
  assert.equal(runs(), 1)
})

test('many requests for another run soon are one run, after the short pause', async () => {
  const { upkeep, runs } = counting([])
  await upkeep.now()
  for (let times = 0; times < 10; times += 1) upkeep.soon()
  await pass(10)
  assert.equal(runs(), 2)
  await pass(100)
  assert.equal(runs(), 2)
})

test('a request during a run is served after it', async () => {
  const { upkeep, runs } = counting([])
  const running = upkeep.now()
  upkeep.soon()
  await running
  await pass(10)
  assert.equal(runs(), 2)
})

test('after a failure nobody can shorten the pause by asking', async () => {
  const { upkeep, runs } = counting([false, false])
  await upkeep.now()
  await pass(10)
  upkeep.soon()
  await pass(19)
  assert.equal(runs(), 2)
})

test('nothing runs after the stop', async () => {
  const { upkeep, runs } = counting([])
  await upkeep.now()
  upkeep.stop()
  await pass(5000)
  assert.equal(runs(), 1)
})
