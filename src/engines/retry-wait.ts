/** Between 0 and 1. */
export type Random = () => number

const firstWaitMs = 100

/** A caller would not wait for longer: whoever asks for more is taken at their word, and not asked again. */
export const longestWaitMs = 2000

/** How long to wait before a call is tried again that was tried so often before; `askedMs` is what the upstream asked for. */
export function retryWaitMs(tried: number, askedMs: number, random: Random = Math.random): number {
  return Math.max(firstWaitMs * 2 ** tried * (0.5 + random() / 2), askedMs)
}
