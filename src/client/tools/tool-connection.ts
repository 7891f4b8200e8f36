import type * as Sdk from '@modelcontextprotocol/client'
import { untilAborted } from '../abort.ts'

/** One connection of the official client, which is loaded only when it is needed. */
export interface Connection {
  readonly sdk: typeof Sdk
  readonly client: Sdk.Client
  readonly transport: Sdk.StreamableHTTPClientTransport
}

export interface ConnectionOrder {
  readonly url: URL
  readonly fetch: typeof globalThis.fetch
  readonly era: 'auto' | 'legacy'
  readonly client: { readonly name: string; readonly version: string }
}

/** A person may be signing in meanwhile; who wants a limit gives a signal. */
export const longestMs = 2_147_483_647
const farewellMs = 1000

export async function openConnection(
  sdk: typeof Sdk,
  order: ConnectionOrder,
  signal?: AbortSignal,
): Promise<Connection> {
  const client = new sdk.Client(order.client, {
    versionNegotiation: { mode: order.era },
    inputRequired: { autoFulfill: false },
  })
  const transport = new sdk.StreamableHTTPClientTransport(order.url, {
    fetch: order.fetch,
    // Redirects are not followed at all, but by the fetch above.
    redirectPolicy: 'follow',
    onInsufficientScope: 'throw',
  })
  endWithStreams(transport)
  const connect = (): Promise<void> => client.connect(transport, { timeout: longestMs })
  try {
    // The official client does not listen to a signal before it knows the era.
    await (signal === undefined ? connect() : untilAborted(signal, connect))
  } catch (cause) {
    await transport.close()
    await client.close()
    throw cause
  }
  return { sdk, client, transport }
}

/** A server that is gone is not waited for. */
export async function closeConnection({ client, transport }: Connection): Promise<void> {
  if (transport.sessionId !== undefined) {
    let timer: ReturnType<typeof setTimeout> | undefined
    const late = new Promise((resolve) => {
      timer = setTimeout(resolve, farewellMs)
    })
    await Promise.race([transport.terminateSession().catch(() => undefined), late])
    clearTimeout(timer)
  }
  await client.close()
}

/**
 * A stream that ends before the answer, and cannot be resumed, is an answer: the official client would wait for ever.
 * After an answer this one is for a request that nobody waits for, and is ignored.
 */
function endWithStreams(transport: Sdk.StreamableHTTPClientTransport): void {
  const send = transport.send.bind(transport)
  transport.send = (message, options) => {
    if (!('method' in message && 'id' in message)) return send(message, options)
    const { id } = message
    const error = {
      code: -32_000,
      message: 'the stream broke off before the answer',
      data: { reason: 'network' },
    }
    const onRequestStreamEnd = (): void => {
      options?.onRequestStreamEnd?.()
      transport.onmessage?.({ jsonrpc: '2.0', id, error })
    }
    return send(message, { ...options, onRequestStreamEnd })
  }
}
