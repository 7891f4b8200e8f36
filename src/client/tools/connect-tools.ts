import type * as Sdk from '@modelcontextprotocol/client'
import { untilAborted } from '../abort.ts'
import { ClientError } from '../client-error.ts'
import type { OAuth } from '../oauth/oauth-options.ts'
import { repeatableCall } from '../oauth/repeatable-call.ts'
import { safeUrl } from '../oauth/safe-url.ts'
import { walk } from '../walk.ts'
import type { Tool, ToolResult, ToolServer } from './tool.ts'
import { toolError } from './tool-error.ts'

export interface ConnectOptions {
  /** Signs in where the server wants it. */
  readonly oauth?: Pick<OAuth, 'fetch'>
  /** In place of `oauth`: a fetch that knows how to be let in. */
  readonly fetch?: typeof globalThis.fetch
  /** The revisions to speak: what both sides know best, or those before 2026-07-28 only. Default `auto`. */
  readonly era?: 'auto' | 'legacy'
  /** How this program calls itself. */
  readonly client?: { readonly name: string; readonly version: string }
  readonly signal?: AbortSignal
}

/** Connects to a tool server of either era, by the official client. */
export async function connectTools(url: string | URL, options: ConnectOptions = {}): Promise<ToolServer> {
  const target = safeUrl(url, { what: 'the tool server', mayBeLocal: true })
  // Only here: it is large, and who lists or generates does not need it.
  const sdk = await import('@modelcontextprotocol/client')
  const client = new sdk.Client(options.client ?? { name: 'postern', version: '1' }, {
    versionNegotiation: { mode: options.era ?? 'auto' },
    inputRequired: { autoFulfill: false },
  })
  const transport = new sdk.StreamableHTTPClientTransport(target, {
    fetch: options.oauth?.fetch ?? options.fetch ?? plainFetch(target),
    // Redirects are not followed at all, but by the fetch above.
    redirectPolicy: 'follow',
    onInsufficientScope: 'throw',
  })
  const connect = (): Promise<void> => client.connect(transport, { timeout: longestMs })
  try {
    // The official client does not listen to a signal before it knows the era.
    await (options.signal === undefined ? connect() : untilAborted(options.signal, connect))
  } catch (cause) {
    await transport.close()
    await client.close()
    options.signal?.throwIfAborted()
    throw toolError(sdk, cause, { what: `connect to ${target.origin}${target.pathname}` })
  }
  return toolServer({ sdk, client, transport }, target)
}

/** A person may be signing in meanwhile; who wants a limit gives a signal. */
const longestMs = 2_147_483_647
const farewellMs = 1000

interface Connection {
  readonly sdk: typeof Sdk
  readonly client: Sdk.Client
  readonly transport: Sdk.StreamableHTTPClientTransport
}

function toolServer(connection: Connection, url: URL): ToolServer {
  const { sdk, client, transport } = connection
  const known = new Map<string, Sdk.Tool>()
  const { name = url.host, version = '' } = client.getServerVersion() ?? {}
  const revision = client.getNegotiatedProtocolVersion() ?? ''
  return {
    server: { name, version, revision },
    instructions: client.getInstructions(),
    list: (options) =>
      walk<Tool>(async (position, signal) => {
        const page = await readPage(connection, position, signal)
        for (const tool of page.items) known.set(tool.name, checkable(tool))
        return page
      }, options),
    call: async (tool, args = {}, options = {}) => {
      const definition = known.get(tool)
      const { onProgress } = options
      try {
        const result = await client.callTool(
          { name: tool, arguments: { ...args } },
          {
            timeout: longestMs,
            ...signalOf(options),
            ...(definition === undefined ? {} : { toolDefinition: definition }),
            ...(onProgress === undefined ? {} : { onprogress: onProgress }),
          },
        )
        return resultOf(result)
      } catch (cause) {
        options.signal?.throwIfAborted()
        throw toolError(sdk, cause, { what: `call ${tool}` })
      }
    },
    close: async () => {
      await sayGoodbye(transport)
      await client.close()
    },
  }
}

/** Results are checked by the schema, but a server's regular expression can keep this program busy for ever. */
function checkable(tool: Sdk.Tool): Sdk.Tool {
  const { outputSchema, ...rest } = tool
  const isRisky = /"pattern(?:Properties)?":/.test(JSON.stringify(outputSchema ?? {}))
  return isRisky ? rest : tool
}

/** A server that is gone is not waited for. */
async function sayGoodbye(transport: Sdk.StreamableHTTPClientTransport): Promise<void> {
  if (transport.sessionId === undefined) return
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, farewellMs)
  })
  await Promise.race([transport.terminateSession().catch(() => undefined), late])
  clearTimeout(timer)
}

async function readPage(
  { sdk, client }: Connection,
  cursor: string | null,
  signal: AbortSignal,
): Promise<{ readonly items: readonly Sdk.Tool[]; readonly next: string | null }> {
  // A server that has no tools may not know the question.
  if (client.getServerCapabilities()?.tools === undefined) return { items: [], next: null }
  try {
    const params = cursor === null ? {} : { cursor }
    const page = await client.request({ method: 'tools/list', params }, { signal, timeout: longestMs })
    return { items: page.tools, next: page.nextCursor ?? null }
  } catch (cause) {
    signal.throwIfAborted()
    throw toolError(sdk, cause, { what: 'list the tools', position: cursor })
  }
}

function resultOf(result: {
  readonly content?: readonly ToolResult['content'][number][] | undefined
  readonly structuredContent?: unknown
  readonly isError?: boolean | undefined
}): ToolResult {
  const { content, structuredContent, isError } = result
  if (content === undefined) throw new ClientError('unexpected_body', 'the answer is no result of a tool')
  return {
    content,
    ...(structuredContent === undefined ? {} : { structuredContent }),
    isError: isError === true,
  }
}

/** Without a sign-in there is still a session id, and arguments, that are for this server alone. */
function plainFetch(resource: URL): typeof globalThis.fetch {
  const settings = { resource, callFetch: globalThis.fetch }
  return async (input, init) => (await repeatableCall(input, init, settings)).send(undefined)
}

function signalOf({ signal }: { readonly signal?: AbortSignal }): { readonly signal?: AbortSignal } {
  return signal === undefined ? {} : { signal }
}
