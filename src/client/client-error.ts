export interface ClientErrorOptions {
  readonly status?: number
  readonly position?: string | null
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

  constructor(code: string, message: string, options: ClientErrorOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined)
    this.code = code
    this.status = options.status
    this.position = options.position
  }
}
