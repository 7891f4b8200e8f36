import { Failure } from '../failure/failure.ts'

/** Lets a few run at once and a bounded number wait; whoever comes after those is refused. */
export function createTurns(limits: {
  readonly running: number
  readonly waiting: number
}): <Value>(work: () => Promise<Value>) => Promise<Value> {
  const queue: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running < limits.running) running += 1
    else await place(queue, limits.waiting)
    try {
      return await work()
    } finally {
      // The turn goes to the next in line, so that nobody who comes now can take it.
      const next = queue.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }
}

async function place(queue: (() => void)[], longest: number): Promise<void> {
  if (queue.length >= longest) {
    throw new Failure('unavailable', 'too many sign-ins at this moment: try again in a few seconds', {
      reason: 'too_many_sign_ins',
    })
  }
  const { promise, resolve } = Promise.withResolvers<void>()
  queue.push(resolve)
  await promise
}
