import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'

const stepMs = 5

/**
 * Waits for something that has so many milliseconds, counted in short steps: a machine that is too busy to let this
 * process run lets the count stand still too. `turn` is a round trip to another process that has a part in it.
 */
export async function assertWithin(
  milliseconds: number,
  event: Promise<unknown>,
  turn: () => Promise<unknown> = async () => undefined,
): Promise<void> {
  let isOver = false
  const ended = event.then(() => {
    isOver = true
  })
  for (let passed = 0; passed < milliseconds && !isOver; passed += stepMs)
    await Promise.race([ended, delay(stepMs).then(turn)])
  assert.ok(isOver, `more than ${milliseconds} ms`)
}
