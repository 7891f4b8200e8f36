import { once } from 'node:events'
import { createServer, type Server as HttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import {
  type CallToolResult,
  createMcpHandler,
  type ListToolsResult,
  Server,
  type Tool,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'

export interface UpstreamBehaviour {
  /** Pages of `tools/list`; what they hold may be anything, to be as hostile as needed. */
  pages: unknown[][]
  /** The cursor after a page, by its index; by default the index of the next one. */
  nextCursor?: (page: number) => string | undefined
  call: (name: string, input: unknown, extra: CallExtra) => unknown
}

export interface CallExtra {
  readonly signal: AbortSignal
  readonly progress: (done: number) => Promise<void>
}

export interface UpstreamServer {
  readonly url: string
  readonly behaviour: UpstreamBehaviour
  /** The headers of every request that arrived. */
  readonly requests: {
    readonly method: string
    readonly headers: IncomingMessage['headers']
    readonly body: string
  }[]
  readonly announceChange: () => void
  readonly forgetSessions: () => void
  readonly stop: () => Promise<void>
  /** On the port it had before. */
  readonly start: () => Promise<void>
}

export interface UpstreamServerOptions {
  readonly legacyOnly?: boolean
  /** As until 2025-11-25: a session for each client, lost when the server stops. */
  readonly sessions?: boolean
  readonly listChanged?: boolean
  /** How many clients may listen for changes (2026-07-28). */
  readonly listeners?: number
}

/** A real MCP server, made with the official SDK. */
export async function startUpstream(
  behaviour: Partial<UpstreamBehaviour> = {},
  options: UpstreamServerOptions = {},
): Promise<UpstreamServer> {
  const settled: UpstreamBehaviour = {
    pages: [[toolNamed('echo')]],
    call: (name, input) => ({ content: [{ type: 'text', text: `${name} ${JSON.stringify(input)}` }] }),
    ...behaviour,
  }
  const isLegacy = options.legacyOnly === true || options.sessions === true
  let port = 0
  let http: HttpServer | undefined
  let handler: Handler | undefined
  const upstream: UpstreamServer = {
    get url() {
      return `http://127.0.0.1:${port}/mcp`
    },
    behaviour: settled,
    requests: [],
    announceChange: () => handler?.announce(),
    forgetSessions: () => handler?.forget(),
    start: async () => {
      const makeServer = (): Server => serverWith(settled, options)
      const current =
        options.sessions === true
          ? sessionHandler(makeServer)
          : statelessHandler(makeServer, options.listeners)
      const serve = async (incoming: IncomingMessage, reply: ServerResponse): Promise<void> => {
        const gone = new AbortController()
        reply.on('close', () => gone.abort())
        const request = await toRequest(incoming, gone.signal)
        const body = await request.clone().text()
        upstream.requests.push({ method: incoming.method ?? '', headers: incoming.headers, body })
        const isUnknown = isLegacy && body.includes('server/discover')
        await send(
          isUnknown ? new Response('not found', { status: 404 }) : await current.fetch(request),
          reply,
        )
      }
      handler = current
      http = createServer((incoming, reply) => {
        serve(incoming, reply).catch(() => reply.destroy())
      })
      http.listen(port, '127.0.0.1')
      await once(http, 'listening')
      const address = http.address()
      port = typeof address === 'object' && address !== null ? address.port : 0
    },
    stop: async () => {
      http?.closeAllConnections()
      http?.close()
      await handler?.close()
    },
  }
  await upstream.start()
  return upstream
}

export function toolNamed(name: string, rest: Partial<Tool> = {}): Tool {
  return { name, description: `the tool ${name}`, inputSchema: { type: 'object' }, ...rest }
}

interface Handler {
  readonly fetch: (request: Request) => Promise<Response>
  readonly announce: () => void
  readonly forget: () => void
  readonly close: () => Promise<void>
}

function statelessHandler(makeServer: () => Server, maxSubscriptions = 10): Handler {
  const handler = createMcpHandler(makeServer, { keepAliveMs: 0, maxSubscriptions })
  return {
    fetch: handler.fetch,
    announce: () => handler.notify.toolsChanged(),
    forget: () => undefined,
    close: () => handler.close(),
  }
}

function sessionHandler(makeServer: () => Server): Handler {
  const sessions = new Map<string, { server: Server; transport: WebStandardStreamableHTTPServerTransport }>()
  return {
    fetch: async (request) => {
      const id = request.headers.get('mcp-session-id')
      const known = id === null ? undefined : sessions.get(id)
      if (known !== undefined) return known.transport.handleRequest(request)
      if (id !== null) return new Response('no such session', { status: 404 })
      const server = makeServer()
      const transport = new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: () => crypto.randomUUID(),
        onsessioninitialized: (session) => void sessions.set(session, { server, transport }),
      })
      await server.connect(transport)
      return transport.handleRequest(request)
    },
    forget: () => sessions.clear(),
    announce: () => {
      for (const { server } of sessions.values()) void server.sendToolListChanged()
    },
    close: async () => {
      for (const { server } of sessions.values()) await server.close()
    },
  }
}

function serverWith(behaviour: UpstreamBehaviour, { listChanged = true }: UpstreamServerOptions): Server {
  const server = new Server(
    { name: 'upstream', version: '1' },
    { capabilities: { tools: listChanged ? { listChanged } : {} } },
  )
  server.setRequestHandler('tools/list', async ({ params }): Promise<ListToolsResult> => {
    const page = params?.cursor === undefined ? 0 : Number(params.cursor.split('-')[0])
    const isLast = page + 1 >= behaviour.pages.length
    const nextCursor =
      behaviour.nextCursor === undefined ? (isLast ? undefined : `${page + 1}`) : behaviour.nextCursor(page)
    return listed(behaviour.pages[page] ?? [], nextCursor)
  })
  server.setRequestHandler('tools/call', async ({ params }, context): Promise<CallToolResult> => {
    const result = await behaviour.call(params.name, params.arguments, {
      signal: context.mcpReq.signal,
      progress: (done) =>
        context.mcpReq.notify({
          method: 'notifications/progress',
          params: { progressToken: context.mcpReq._meta?.progressToken ?? 0, progress: done, total: 2 },
        }),
    })
    return JSON.parse(JSON.stringify(result))
  })
  return server
}

/** Through JSON, so that a test can list what no typed server would. */
function listed(tools: readonly unknown[], nextCursor: string | undefined): ListToolsResult {
  return JSON.parse(JSON.stringify({ tools, nextCursor }))
}

async function send(answer: Response, reply: ServerResponse): Promise<void> {
  reply.writeHead(answer.status, Object.fromEntries(answer.headers))
  reply.flushHeaders()
  const stream = answer.body === null ? Readable.from([]) : Readable.fromWeb(answer.body)
  await pipeline(stream, reply)
}

async function toRequest(incoming: IncomingMessage, signal: AbortSignal): Promise<Request> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(Buffer.from(chunk))
  const headers = Object.entries(incoming.headers).map(([name, value]): [string, string] => [
    name,
    String(value),
  ])
  const body = Buffer.concat(chunks)
  return new Request(`http://127.0.0.1${incoming.url}`, {
    method: incoming.method ?? 'GET',
    headers,
    signal,
    ...(body.length === 0 ? {} : { body }),
  })
}
