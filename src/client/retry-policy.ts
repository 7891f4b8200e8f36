import { ClientError } from './client-error.ts'

/** How a call is repeated that the server had no room for (429, 503). */
export interface RetryOptions {
  /** How often, after the first try. Default 3; 0 is never. */
  readonly most?: number
  /** The longest first wait; each further one may be twice as long. Default 500. */
  readonly firstMs?: number
  /** The longest of all: a server that asks for more gets no further call. Default 60,000. */
  readonly longestMs?: number
  /** From 0 up to 1. Default `Math.random`. */
  readonly random?: () => number
  /** Default: a timer. */
  readonly wait?: (ms: number, signal: AbortSignal | undefined) => Promise<void>
}

export interface RetryPolicy {
  readonly wait: NonNullable<RetryOptions['wait']>
  /** How long to wait before the call is repeated for the `count`th time; undefined: not at all. */
  readonly delay: (count: number, askedMs: number | undefined) => number | undefined
}

export function retryPolicy(options: RetryOptions = {}): RetryPolicy {
  const { most = 3, firstMs = 500, longestMs = 60_000, random = Math.random, wait = pause } = options
  for (const [name, given] of Object.entries({ most, firstMs, longestMs }))
    if (!Number.isSafeInteger(given) || given < 0)
      throw new ClientError('invalid_option', `retries.${name} must be a whole number, 0 or more`)
  return {
    wait,
    delay: (count, askedMs) => {
      if (count > most || (askedMs ?? 0) > longestMs) return undefined
      const jitter = random() * Math.min(longestMs, firstMs * 2 ** (count - 1))
      // Never earlier than asked for, and not all clients at once.
      return Math.round((askedMs ?? 0) + jitter)
    },
  }
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const stop = (): void => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })
}
