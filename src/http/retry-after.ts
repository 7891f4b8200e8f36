import type { Failure } from '../failure/failure.ts'

/** The header takes whole seconds; who comes back too early is refused again. */
export function retryAfter({ retryAfterSeconds = 1 }: Failure): string {
  return String(Math.max(1, Math.ceil(retryAfterSeconds)))
}
