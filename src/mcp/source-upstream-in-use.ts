import type { Client } from '@modelcontextprotocol/client'
import type { UpstreamConnection } from './source-upstream-connection.ts'

/** A connection that many calls use at once. */
export class ConnectionInUse {
  readonly connection: UpstreamConnection
  readonly #closed = Promise.withResolvers<void>()
  #calls = 0
  #isRetired = false

  constructor(connection: UpstreamConnection) {
    this.connection = connection
  }

  async use<Result>(call: (client: Client) => Promise<Result>): Promise<Result> {
    this.#calls += 1
    try {
      return await call(this.connection.client)
    } finally {
      this.#calls -= 1
      if (this.#isRetired) this.#closeWhenIdle()
    }
  }

  /** Closes it when its last call has ended: a call that is cut off after its work was done would be made again. */
  retire(): Promise<void> {
    this.#isRetired = true
    this.#closeWhenIdle()
    return this.#closed.promise
  }

  async close(): Promise<void> {
    await this.connection.close()
    this.#closed.resolve()
  }

  #closeWhenIdle(): void {
    if (this.#calls === 0) void this.close()
  }
}
