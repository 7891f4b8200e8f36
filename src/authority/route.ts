import type { IncomingMessage, ServerResponse } from 'node:http'

/** A page or endpoint of our own, in front of the provider. */
export interface Route {
  readonly method: 'GET' | 'POST'
  /** Matched against the path alone; its named groups are the parameters. */
  readonly path: RegExp
  /** Only for requests that it answers true for; read from a body that was read already. */
  readonly when?: (form: URLSearchParams) => boolean
  /** In bytes, where the usual size is not enough; read before `when` is asked. */
  readonly largestBody?: number
  readonly handle: (exchange: Exchange) => Promise<void>
}

export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly params: Readonly<Record<string, string>>
  /** The fields of a form-encoded body; empty without one. */
  readonly form: URLSearchParams
  /** The bytes of the body, of whatever kind. */
  readonly body: Buffer
  /** The caller's address, behind trusted proxies the one they name. */
  readonly address: string
  /** Lets the provider answer this request, its body included, perhaps as if it had come for another path. */
  readonly forward: (path?: string) => Promise<void>
}
