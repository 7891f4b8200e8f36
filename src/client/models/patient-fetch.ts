import { textUpTo } from '../response-text.ts'
import type { RetryPolicy } from '../retry-policy.ts'
import { askedDelay } from './model-error.ts'

/** Repeats a call that was answered with 429 or 503, before anybody has seen a byte of it; bodies must be texts. */
export function patientFetch(fetch: typeof globalThis.fetch, policy: RetryPolicy): typeof globalThis.fetch {
  return async (input, init) => {
    for (let count = 1; ; count += 1) {
      const response = await fetch(input, init)
      if (response.status !== 429 && response.status !== 503) return response
      const text = await textUpTo(response, mostBytes)
      const delay = policy.delay(count, askedDelay(text, response.headers.get('retry-after')))
      if (delay === undefined) return copyOf(response, text)
      await policy.wait(delay, init?.signal ?? undefined)
    }
  }
}

const mostBytes = 256 * 1024

function copyOf({ status, statusText, headers }: Response, text: string | null): Response {
  return new Response(text, { status, statusText, headers })
}
