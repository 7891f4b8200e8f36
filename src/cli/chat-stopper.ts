import type { Io } from './io.ts'

/** Ctrl-C, which stops an answer while one comes, and otherwise the program. */
export interface Stopper {
  readonly begin: () => AbortSignal
  readonly end: () => void
}

export function createStopper(io: Pick<Io, 'onSignal' | 'exit'>): Stopper {
  let answering: AbortController | undefined
  io.onSignal('SIGINT', () => {
    // Nothing to stop, or it does not stop.
    if (answering === undefined || answering.signal.aborted) io.exit(130)
    else answering.abort()
  })
  return {
    begin: () => {
      answering = new AbortController()
      return answering.signal
    },
    end: () => {
      answering = undefined
    },
  }
}
