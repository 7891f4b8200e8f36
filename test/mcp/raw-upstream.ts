import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'

export interface RawRequest {
  readonly id: unknown
  readonly method: string
  readonly headers: IncomingMessage['headers']
  readonly reply: ServerResponse
  /** As a plain body. */
  readonly answer: (result: object) => void
}

type Answers = Record<string, (request: RawRequest) => unknown>

export interface RawUpstream {
  readonly url: string
  /** The methods of all messages, and `GET` and `DELETE`. */
  readonly seen: string[]
  /** By the method of a message, or `GET` and `DELETE`; may be changed at any time. */
  readonly answers: Answers
  /** What the older era knows its clients by. */
  session: string
}

export const event = (data: unknown): string => `event: message\ndata: ${JSON.stringify(data)}\n\n`

/** An MCP server written by hand, which a test lets answer as no SDK would. */
export async function startRawUpstream(
  t: TestContext,
  era: 'modern' | 'legacy',
  answers: Answers = {},
): Promise<RawUpstream> {
  const seen: string[] = []
  const upstream = { url: '', seen, answers: { ...defaults[era], ...answers }, session: 'one' }
  const serve = async (request: IncomingMessage, reply: ServerResponse): Promise<void> => {
    const { method = '', headers } = request
    if (method !== 'POST') {
      seen.push(method)
      const handle = upstream.answers[method]
      if (handle === undefined) reply.writeHead(405).end()
      else handle({ id: undefined, method, headers, reply, answer: () => undefined })
      return
    }
    const message = JSON.parse(await text(request))
    seen.push(message.method)
    const answer = (result: object): void => {
      const whole = era === 'modern' ? { resultType: 'complete', ...result } : result
      reply.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': upstream.session })
      reply.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: whole }))
    }
    const isLost =
      era === 'legacy' &&
      headers['mcp-session-id'] !== undefined &&
      headers['mcp-session-id'] !== upstream.session
    const handle = upstream.answers[message.method]
    if (message.id === undefined) reply.writeHead(202).end()
    else if (isLost || handle === undefined) reply.writeHead(404).end()
    else handle({ id: message.id, method: message.method, headers, reply, answer })
  }
  const server = createServer((request, reply) => {
    serve(request, reply).catch(() => reply.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  upstream.url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/mcp`
  return upstream
}

const capabilities = { tools: { listChanged: true } }
const tools = [{ name: 'pay', inputSchema: { type: 'object' } }]
const cache = { ttlMs: 0, cacheScope: 'public' }

const defaults: Record<'modern' | 'legacy', Answers> = {
  modern: {
    'server/discover': ({ answer }) =>
      answer({ supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, ...cache }),
    'tools/list': ({ answer }) => answer({ tools, ...cache }),
  },
  legacy: {
    initialize: ({ answer }) =>
      answer({ protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 'raw', version: '1' } }),
    'tools/list': ({ answer }) => answer({ tools }),
  },
}
