import { Failure } from '../failure/failure.ts'

/** Every way in which a list request can be refused; all of them are the caller's to mend. */
export type PageFailureReason = keyof typeof recoveries

const recoveries = {
  invalid_cursor: 'restart',
  cursor_expired: 'restart',
  cursor_mismatch: 'restart',
  invalid_limit: 'fix_request',
  invalid_offset: 'fix_request',
} as const

/** `field` is the parameter as the caller spelled it, so that the message fits every style. */
export function pageFailure(reason: PageFailureReason, field: string, message: string): Failure {
  return new Failure('invalid-request', message, { reason, field, recovery: recoveries[reason] })
}
