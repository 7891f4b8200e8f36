import type { ChainEnd } from './ledger-at-once.ts'

/** Where the chain may still end, as long as nobody else writes. */
export interface ChainGuess {
  /** Undefined when it is not worth a try. */
  readonly end: () => ChainEnd | undefined
  /** It ends here now; undefined if it has not moved. */
  readonly moved: (end: ChainEnd | undefined) => void
  readonly wasWrong: () => void
}

/** Where several instances write by turns, most guesses are wrong and cost a journey: then few are made. */
export function createChainGuess(): ChainGuess {
  let last: ChainEnd | undefined
  let rounds = 0
  return {
    end: () => {
      if (rounds === 0) return last
      rounds -= 1
      return undefined
    },
    moved: (end) => {
      last = end ?? last
    },
    wasWrong: () => {
      last = undefined
      rounds = roundsWithout
    },
  }
}

const roundsWithout = 50
