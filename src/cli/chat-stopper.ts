import type { Io } from './io.ts'
import type { LineInput } from './line-input.ts'

/** Ctrl-C, which stops an answer while one comes, is told to whoever waits at a prompt, and otherwise ends the program. */
export interface Stopper {
  readonly begin: () => AbortSignal
  readonly end: () => void
}

export function createStopper(
  io: Pick<Io, 'onSignal' | 'exit'>,
  lines: Pick<LineInput, 'interrupt'>,
): Stopper {
  let answering: AbortController | undefined
  io.onSignal('SIGINT', () => {
    if (answering?.signal.aborted === false) answering.abort()
    // Nothing to stop, or it does not stop.
    else if (answering !== undefined || !lines.interrupt()) io.exit(130)
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
