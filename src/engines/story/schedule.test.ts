import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSchedule, type TaskEntry } from './schedule.ts'

interface Bench {
  readonly entry: (name: string, steps: number, isLight?: boolean) => TaskEntry
  readonly log: string[]
  readonly later: (run: () => void) => void
  readonly turn: () => void
}

/** Runs what was put off by hand, one turn at a time. */
function createBench(): Bench {
  const log: string[] = []
  const due: (() => void)[] = []
  return {
    log,
    later: (run) => due.push(run),
    turn: () => due.shift()?.(),
    entry: (name, steps, isLight = false) => {
      let left = steps
      return {
        isLight,
        open: () => () => {
          log.push(name)
          left -= 1
          return left <= 0
        },
        settle: (error) => log.push(error === undefined ? `${name} done` : `${name} failed`),
      }
    },
  }
}

const run = (bench: Bench, turns: number): string => {
  for (let turn = 0; turn < turns; turn += 1) bench.turn()
  return bench.log.join(' ')
}

test('tasks take turns', () => {
  const bench = createBench()
  const schedule = createSchedule(2, bench.later)
  schedule.start(1, bench.entry('a', 3))
  schedule.start(2, bench.entry('b', 2))
  assert.equal(run(bench, 20), 'a b a b b done a a done')
})

test('more than may run wait, but light ones do not', () => {
  const bench = createBench()
  const schedule = createSchedule(1, bench.later)
  schedule.start(1, bench.entry('a', 2))
  schedule.start(2, bench.entry('b', 1))
  schedule.start(3, bench.entry('c', 1, true))
  assert.equal(run(bench, 20), 'a c c done a a done b b done')
})

test('a stopped task gets no more turns, whether it ran or waited', () => {
  const bench = createBench()
  const schedule = createSchedule(1, bench.later)
  schedule.start(1, bench.entry('a', 5))
  schedule.start(2, bench.entry('b', 5))
  run(bench, 1)
  schedule.stop(1)
  schedule.stop(2)
  assert.equal(run(bench, 20), 'a')
})

test('a task that throws fails alone, and work goes on after a rest', () => {
  const bench = createBench()
  const schedule = createSchedule(2, bench.later)
  const failing = (): never => {
    throw new Error('no')
  }
  schedule.start(1, { ...bench.entry('a', 1), open: () => failing })
  schedule.start(2, bench.entry('b', 1))
  assert.equal(run(bench, 20), 'a failed b b done')
  schedule.start(3, bench.entry('c', 1))
  assert.equal(run(bench, 20), 'a failed b b done c c done')
})
