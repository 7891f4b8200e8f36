import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPacedTask, type PacedTask } from './paced-task.ts'

/** A task whose runs end when they are told to, and a clock that is set by hand. */
function handDriven(spacing: number): {
  task: PacedTask
  runs: PromiseWithResolvers<void>[]
  clock: { now: number }
} {
  const runs: PromiseWithResolvers<void>[] = []
  const clock = { now: 0 }
  const run = (): Promise<void> => {
    const one = Promise.withResolvers<void>()
    runs.push(one)
    return one.promise
  }
  return { task: createPacedTask({ run, spacing, now: () => clock.now }), runs, clock }
}

test('all who wait at the same time share one run', async () => {
  const { task, runs } = handDriven(1000)
  const waiting = Promise.all([task.settle(), task.settle(), task.settle()])
  task.start()
  assert.equal(runs.length, 1)
  runs[0]?.resolve()
  await waiting
  assert.deepEqual([task.begun(), task.ended()], [1, 1])
})

test('who waits after a run has ended gets another one, when its time has come', async () => {
  const { task, runs, clock } = handDriven(1000)
  const first = task.settle()
  runs[0]?.resolve()
  await first
  clock.now = 1000
  const second = task.settle()
  assert.equal(runs.length, 2)
  runs[1]?.resolve()
  await second
  assert.deepEqual([task.begun(), task.ended(), task.begunAt()], [2, 2, 1000])
})

test('a run that comes too soon waits for its distance, and nothing begins beside it', async () => {
  const { task, runs } = handDriven(20)
  const first = task.settle()
  runs[0]?.resolve()
  await first
  const startedAt = performance.now()
  const second = task.settle()
  task.start()
  assert.equal(runs.length, 1)
  assert.equal(task.settle(), second)
  const begun = new Promise<void>((resolve) => {
    const look = (): void => (runs.length === 2 ? resolve() : void setImmediate(look))
    look()
  })
  await begun
  assert.ok(performance.now() - startedAt >= 19)
  runs[1]?.resolve()
  await second
})

test('closing ends a pause', async () => {
  const { task, runs } = handDriven(3_600_000)
  const first = task.settle()
  runs[0]?.resolve()
  await first
  const second = task.settle()
  task.close()
  while (runs.length < 2) await new Promise((resolve) => setImmediate(resolve))
  runs[1]?.resolve()
  await second
  assert.equal(task.ended(), 2)
})
