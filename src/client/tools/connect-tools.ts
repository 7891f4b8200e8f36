import type * as Sdk from '@modelcontextprotocol/client'
import { untilAborted } from '../abort.ts'
import { ClientError } from '../client-error.ts'
import type { OAuth } from '../oauth/oauth-options.ts'
import { repeatableCall } from '../oauth/repeatable-call.ts'
import { safeUrl } from '../oauth/safe-url.ts'
import { walk } from '../walk.ts'
import { type LastingConnection, lastingConnection } from './lasting-connection.ts'
import type { Tool, ToolResult, ToolServer } from './tool.ts'
import { type Connection, longestMs, openConnection } from './tool-connection.ts'
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
  const order = {
    url: target,
    fetch: options.oauth?.fetch ?? options.fetch ?? plainFetch(target),
    era: options.era ?? 'auto',
    client: options.client ?? { name: 'postern', version: '1' },
  }
  const connect = async (signal?: AbortSignal): Promise<Connection> => {
    try {
      return await openConnection(sdk, order, signal)
    } catch (cause) {
      signal?.throwIfAborted()
      throw toolError(sdk, cause, { what: `connect to ${target.origin}${target.pathname}` })
    }
  }
  const first = await connect(options.signal)
  return toolServer(first, lastingConnection(first, connect), target)
}

function toolServer({ client }: Connection, connection: LastingConnection, url: URL): ToolServer {
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
      const { onProgress, signal } = options
      const request = { name: tool, arguments: { ...args } }
      const settings = {
        timeout: longestMs,
        ...(signal === undefined ? {} : { signal }),
        ...(definition === undefined ? {} : { toolDefinition: definition }),
        ...(onProgress === undefined ? {} : { onprogress: onProgress }),
      }
      const call = (): Promise<ToolResult> =>
        connection.use(async (used) => resultOf(await used.client.callTool(request, settings)))
      try {
        return await (signal === undefined ? call() : untilAborted(signal, call))
      } catch (cause) {
        signal?.throwIfAborted()
        throw toolError(connection.sdk, cause, { what: `call ${tool}` })
      }
    },
    close: connection.close,
  }
}

/** Results are checked by the schema, but a server's regular expression can keep this program busy for ever. */
function checkable(tool: Sdk.Tool): Sdk.Tool {
  const { outputSchema, ...rest } = tool
  const isRisky = /"pattern(?:Properties)?":/.test(JSON.stringify(outputSchema ?? {}))
  return isRisky ? rest : tool
}

interface Page {
  readonly items: readonly Sdk.Tool[]
  readonly next: string | null
}

async function readPage(
  connection: LastingConnection,
  cursor: string | null,
  signal: AbortSignal,
): Promise<Page> {
  const params = cursor === null ? {} : { cursor }
  const read = async ({ client }: Connection): Promise<Page> => {
    // A server that has no tools may not know the question.
    if (client.getServerCapabilities()?.tools === undefined) return { items: [], next: null }
    const page = await client.request({ method: 'tools/list', params }, { signal, timeout: longestMs })
    return { items: page.tools, next: page.nextCursor ?? null }
  }
  try {
    return await untilAborted(signal, () => connection.use(read))
  } catch (cause) {
    signal.throwIfAborted()
    throw toolError(connection.sdk, cause, { what: 'list the tools', position: cursor })
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
