import { Failure, type FailureCode, type FailureOptions } from '../failure/failure.ts'

/** A failure that knows what the `details` of the error body say: messages of `google.rpc` in their JSON form. */
export class WireFailure extends Failure {
  readonly details: readonly WireDetail[]

  constructor(
    code: FailureCode,
    message: string,
    options: FailureOptions & { readonly details: readonly WireDetail[] },
  ) {
    super(code, message, options)
    this.details = options.details
  }
}

export interface WireDetail {
  readonly '@type': `type.googleapis.com/google.rpc.${string}`
  readonly [name: string]: unknown
}

/** `field` is a path in snake_case; a violation of the whole body has none. */
export interface FieldViolation {
  readonly field?: string
  readonly description: string
}

/** The body does not fit the message it stands for: every violation in one answer. */
export function badFields(violations: readonly FieldViolation[]): WireFailure {
  const message = violations.map(({ description }) => description).join('\n')
  const [first] = violations
  return new WireFailure('invalid-request', message, {
    reason: 'unknown_field',
    recovery: 'fix_request',
    ...(first?.field === undefined ? {} : { field: first.field }),
    details: [{ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: violations }],
  })
}

/** The body fits, but what it says does not. */
export function invalidArgument(message: string, field?: string): WireFailure {
  return new WireFailure('invalid-request', message, {
    reason: 'invalid_argument',
    recovery: 'fix_request',
    ...(field === undefined ? {} : { field }),
    details: [],
  })
}
