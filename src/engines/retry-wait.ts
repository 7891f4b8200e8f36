/** Between 0 and 1. */
export type Random = () => number

const firstWaitMs = 100

/** A caller would not wait for longer: whoever asks for more is taken at their word, and not asked again. */
export const longestWaitMs = 2000

/** Seconds or a date (RFC 9110, 10.2.3). */
export function retryAfterSeconds(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined
  if (/^\d{1,9}(?:\.\d+)?$/.test(header)) return Number(header)
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now) / 1000))
}

/** What callers are told of the time that an upstream asks for: in an hour it may have changed its mind. */
export function toldSeconds(asked: number | undefined): { readonly retryAfterSeconds?: number } {
  return asked === undefined ? {} : { retryAfterSeconds: Math.min(asked, 3600) }
}

/** How long to wait before a call is tried again that was tried so often before; `askedMs` is what the upstream asked for. */
export function retryWaitMs(tried: number, askedMs: number, random: Random = Math.random): number {
  return Math.max(firstWaitMs * 2 ** tried * (0.5 + random() / 2), askedMs)
}
