export type Turns = <Value>(work: () => Promise<Value>) => Promise<Value>

/** Runs what it is given in turn, each when the one before has ended, however that ended. */
export function oneAtATime(): Turns {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const turn = last.then(work, work)
    last = turn.catch(() => undefined)
    return turn
  }
}
