import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../../failure/failure.ts'
import { createTurns } from './turns.ts'

const never = new AbortController().signal

test('one after another has its turn, in the order they came', async () => {
  const turns = createTurns(5)
  const order: number[] = []
  const end = await turns.take(never)
  const others = [1, 2, 3].map(async (number) => {
    const endMine = await turns.take(never)
    order.push(number)
    endMine()
  })
  assert.deepEqual(order, [])
  end()
  await Promise.all(others)
  assert.deepEqual(order, [1, 2, 3])
})

test('a turn that is ended twice lets one in', async () => {
  const turns = createTurns(5)
  const end = await turns.take(never)
  const second = turns.take(never)
  let isThirdIn = false
  const third = turns.take(never).then((endThird) => {
    isThirdIn = true
    return endThird
  })
  end()
  end()
  const endSecond = await second
  assert.equal(isThirdIn, false)
  endSecond()
  await third
})

test('who finds too many waiting is refused as overload', async () => {
  const turns = createTurns(1)
  await turns.take(never)
  void turns.take(never)
  await assert.rejects(
    turns.take(never),
    (error) => error instanceof Failure && error.code === 'unavailable' && error.reason === 'overloaded',
  )
})

test('who leaves makes room for another and is not let in', async () => {
  const turns = createTurns(1)
  const end = await turns.take(never)
  const leaving = new AbortController()
  const left = turns.take(leaving.signal)
  leaving.abort()
  await assert.rejects(left, { name: 'AbortError' })
  const next = turns.take(never)
  end()
  await next
})
