import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../failure/failure.ts'
import { createTurns } from './turns.ts'

test('no more than the limit run at once, in the order they came, and every one gets its own answer', async () => {
  const turns = createTurns({ running: 2, waiting: 10 })
  const started: number[] = []
  let running = 0
  let most = 0
  const work = (number: number) => async (): Promise<number> => {
    started.push(number)
    running += 1
    most = Math.max(most, running)
    await new Promise((resolve) => setImmediate(resolve))
    running -= 1
    return number
  }
  const answers = await Promise.all([1, 2, 3, 4, 5, 6].map((number) => turns(work(number))))
  assert.deepEqual([answers, started, most], [[1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6], 2])
})

test('who comes when the queue is full is refused at once, and the others are not harmed', async () => {
  const turns = createTurns({ running: 1, waiting: 1 })
  const { promise, resolve } = Promise.withResolvers<string>()
  const first = turns(() => promise)
  const second = turns(async () => 'second')
  await assert.rejects(
    turns(async () => 'third'),
    (error) => error instanceof Failure && error.code === 'unavailable',
  )
  resolve('first')
  assert.deepEqual(await Promise.all([first, second]), ['first', 'second'])
})

test('work that fails gives its turn back', async () => {
  const turns = createTurns({ running: 1, waiting: 0 })
  await assert.rejects(
    turns(() => Promise.reject(new Error('broken'))),
    /broken/,
  )
  assert.equal(await turns(async () => 'next'), 'next')
})
