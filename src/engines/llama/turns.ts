import { Failure } from '../../failure/failure.ts'

/** Lets one after another in, and keeps only so many waiting. */
export interface Turns {
  /** Resolves when it is one's turn, to a function that ends it; a full queue refuses, and leaving it rejects. */
  readonly take: (signal: AbortSignal) => Promise<() => void>
}

export function createTurns(mostWaiting: number): Turns {
  const waiting: (() => void)[] = []
  let isTaken = false

  function end(): void {
    const next = waiting.shift()
    if (next === undefined) isTaken = false
    else next()
  }

  return {
    take: async (signal) => {
      signal.throwIfAborted()
      if (!isTaken) {
        isTaken = true
        return once(end)
      }
      if (waiting.length >= mostWaiting)
        throw new Failure('unavailable', 'too many calls wait for this model; try again shortly', {
          reason: 'overloaded',
        })
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const leave = (): void => {
        const at = waiting.indexOf(resolve)
        if (at === -1) return
        waiting.splice(at, 1)
        reject(signal.reason)
      }
      waiting.push(resolve)
      signal.addEventListener('abort', leave)
      try {
        await promise
        return once(end)
      } finally {
        signal.removeEventListener('abort', leave)
      }
    },
  }
}

function once(act: () => void): () => void {
  let isDone = false
  return () => {
    if (!isDone) act()
    isDone = true
  }
}
