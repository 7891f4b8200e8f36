import { Client, type McpSubscription, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { settledWithin } from './source-upkeep.ts'
import type { UpstreamFetch } from './source-upstream-fetch.ts'
import { endWithStreams, type ResumePauses, resumeScheduler } from './source-upstream-sending.ts'

export interface UpstreamConnection {
  readonly client: Client
  /** Until 2025-11-25 a server may keep one. */
  readonly hasSession: boolean
  /** Listens for changes again where the stream for them has ended (2026-07-28 and later). */
  readonly listen: () => Promise<void>
  readonly close: () => Promise<void>
}

export interface ConnectionOptions {
  readonly url: URL
  readonly fetch: UpstreamFetch
  readonly pauses: ResumePauses
  readonly signal: AbortSignal
  /** The upstream says that its list changed. */
  readonly onChanged: () => void
  /** The stream on which it would say so is gone. */
  readonly onLost: () => void
}

/** Connects with the official client, in whichever era the upstream speaks. */
export async function connectUpstream(options: ConnectionOptions): Promise<UpstreamConnection> {
  const { signal, onChanged, onLost } = options
  const client = new Client(
    { name: 'postern', version: '1' },
    {
      versionNegotiation: { mode: 'auto' },
      inputRequired: { autoFulfill: false },
      listChanged: { tools: { autoRefresh: false, debounceMs: 50, onChanged } },
    },
  )
  const transport = newTransport(options)
  const close = async (): Promise<void> => {
    if (transport.sessionId !== undefined)
      await settledWithin(
        transport.terminateSession().catch(() => undefined),
        farewellMs,
      )
    await client.close().catch(() => undefined)
  }
  try {
    await client.connect(transport, { signal, timeout: connectTimeoutMs })
  } catch (cause) {
    await client.close().catch(() => undefined)
    throw cause
  }
  client.onerror = onLost
  let isListening = watch(client.autoOpenedSubscription)
  const listen = async (): Promise<void> => {
    if (isListening || client.getProtocolEra() !== 'modern') return
    if (client.getServerCapabilities()?.tools?.listChanged !== true) return
    // A server that takes no listeners is read at the steady pace, like one that announces nothing.
    const listening = client.listen({ toolsListChanged: true }, { signal, timeout: connectTimeoutMs })
    isListening = watch(await listening.catch(() => undefined))
  }
  return { client, hasSession: transport.sessionId !== undefined, listen, close }

  function watch(subscription: McpSubscription | undefined): boolean {
    subscription?.closed.then((how) => {
      isListening = false
      if (how !== 'local') onLost()
    }, onLost)
    return subscription !== undefined
  }
}

function newTransport({ url, fetch, pauses }: ConnectionOptions): StreamableHTTPClientTransport {
  const transport = new StreamableHTTPClientTransport(url, {
    fetch,
    redirectPolicy: 'follow',
    onInsufficientScope: 'throw',
    reconnectionOptions: {
      initialReconnectionDelay: pauses.retryMs,
      maxReconnectionDelay: pauses.maxRetryMs,
      reconnectionDelayGrowFactor: 2,
      // The scheduler knows when it is enough.
      maxRetries: Number.POSITIVE_INFINITY,
    },
    reconnectionScheduler: resumeScheduler(pauses),
  })
  endWithStreams(transport)
  return transport
}

const connectTimeoutMs = 10_000
/** A server that is gone is not waited for. */
const farewellMs = 500
