/** Randomness that can be played again: the same seed throws the same numbers (mulberry32). */
export interface Dice {
  /** A whole number from 0 up to, but not including, `end`. */
  readonly below: (end: number) => number
  readonly pick: <Value>(values: readonly Value[]) => Value
  readonly bytes: (length: number) => Buffer
}

export function dice(seed: number): Dice {
  let state = seed >>> 0
  const below = (end: number): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * end)
  }
  return {
    below,
    pick: (values) => {
      const value = values[below(values.length)]
      if (value === undefined) throw new RangeError('there is nothing to pick from')
      return value
    },
    bytes: (length) => Buffer.from(Array.from({ length }, () => below(256))),
  }
}
