export interface ClientErrorOptions {
  readonly status?: number
  readonly position?: string | null
  /** The server's own word, such as `invalid_grant`. */
  readonly reason?: string | undefined
  /** The scopes that a call would need. */
  readonly scopes?: readonly string[] | undefined
  /** What has to be signed in to first. */
  readonly resource?: string | undefined
  readonly cause?: unknown
}

/** The one error of the client. Of what was sent, no header, cursor or parameter of 8 characters or more stands in `message`. */
export class ClientError extends Error {
  override readonly name = 'ClientError'
  /** A stable word: the server's own (`cursor_expired`, `NOT_FOUND`) or, without one, the client's (`repeated_cursor`). */
  readonly code: string
  /** The HTTP status, where there was an answer. */
  readonly status: number | undefined
  /** The page that could not be had, and so the last checkpoint: every page before it was consumed in full. */
  readonly position: string | null | undefined
  /** Why, in the server's own word, where `code` is the client's. */
  readonly reason: string | undefined
  /** What the token would have to allow, where the server said so. */
  readonly scopes: readonly string[] | undefined
  /** What has to be signed in to first, where nobody is. */
  readonly resource: string | undefined

  constructor(code: string, message: string, options: ClientErrorOptions = {}) {
    super(harmless(message), 'cause' in options ? { cause: options.cause } : undefined)
    this.code = code
    this.status = options.status
    this.position = options.position
    this.reason = options.reason
    this.scopes = options.scopes
    this.resource = options.resource
  }
}

/** Words of servers stand in messages: they may quote the token that they got, and a terminal obeys control characters. */
function harmless(message: string): string {
  return message
    .replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ')
    .replaceAll(/\bbearer +[\w.~+/-]{20,}=*/gi, 'Bearer [redacted]')
    .replaceAll(/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, '[redacted]')
}
