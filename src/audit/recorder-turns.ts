/** The lines of one turn of the event loop, and the one promise that all of them have. */
export interface Turn {
  readonly lines: readonly string[]
  readonly keep: () => void
  readonly refuse: (error: Error) => void
}

export interface Turns {
  readonly add: (line: string) => Promise<void>
  /** Ends the turn now. */
  readonly finish: () => void
}

/**
 * Calls that arrived together are decided in one turn of the event loop. Their lines are written with one system call when
 * it is over, and their answers go out after it: cheaper than line by line, and no answer is out before its line is.
 */
export function createTurns(write: (turn: Turn) => void): Turns {
  let lines: string[] = []
  let open: PromiseWithResolvers<void> | undefined

  function finish(): void {
    if (open === undefined) return
    const turn = { lines, keep: open.resolve, refuse: open.reject }
    lines = []
    open = undefined
    write(turn)
  }

  return {
    add: (line) => {
      lines.push(line)
      if (open === undefined) {
        open = Promise.withResolvers()
        setImmediate(finish)
      }
      return open.promise
    },
    finish,
  }
}
