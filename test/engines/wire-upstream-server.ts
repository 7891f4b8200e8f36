import { EventEmitter, once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { TestContext } from 'node:test'
import { portOf } from '../serving/raw-connection.ts'

export interface WireExchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly body: Buffer
  /** From 1. */
  readonly count: number
}

export interface SeenRequest {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

/** A server that speaks the Gemini wire, as well or as badly as a test wants. */
export interface WireServer {
  readonly origin: string
  readonly requests: readonly SeenRequest[]
  readonly state: { readonly sockets: number; readonly answering: number }
  /** Waits until the state is as asked for. */
  readonly reaches: (isReached: (state: WireServer['state']) => boolean) => Promise<void>
}

export async function startWireServer(
  t: TestContext,
  serve: (exchange: WireExchange) => void,
): Promise<WireServer> {
  const requests: SeenRequest[] = []
  const state = { sockets: 0, answering: 0 }
  const changes = new EventEmitter()
  const server = createServer((request, response) => {
    state.answering += 1
    response.once('close', () => {
      state.answering -= 1
      changes.emit('change')
    })
    response.on('error', () => undefined)
    void read(request).then((body) => {
      requests.push({ path: request.url ?? '', headers: request.headers, body })
      changes.emit('change')
      serve({ request, response, body, count: requests.length })
    })
  })
  server.on('connection', (socket) => {
    state.sockets += 1
    socket.on('error', () => undefined)
    socket.once('close', () => {
      state.sockets -= 1
      changes.emit('change')
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    origin: `http://127.0.0.1:${portOf(server)}`,
    requests,
    state,
    reaches: async (isReached) => {
      while (!isReached(state)) await once(changes, 'change')
    },
  }
}

async function read(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}

export const usage = {
  promptTokenCount: 7,
  candidatesTokenCount: 5,
  thoughtsTokenCount: 3,
  totalTokenCount: 15,
}

/** An answer with a field that nobody here knows. */
export const plainAnswer: string = JSON.stringify({
  candidates: [{ content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'STOP', newField: [1] }],
  usageMetadata: usage,
  modelVersion: 'up-1',
})

export function sendPlain({ response }: WireExchange, body: string = plainAnswer): void {
  response.writeHead(200, { 'content-type': 'application/json; charset=UTF-8' }).end(body)
}

export function sendError({ response }: WireExchange, status: number, details: readonly object[] = []): void {
  const error = { code: status, message: `it is a ${status}`, status: 'WHATEVER', details }
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error }))
}

export function openStream({ response }: WireExchange): ServerResponse {
  return response.writeHead(200, { 'content-type': 'text/event-stream' })
}

/** One event, with the usage so far. */
export function event(text: string, usageMetadata: object = usage): string {
  const candidates = [{ content: { role: 'model', parts: [{ text }] } }]
  return `data: ${JSON.stringify({ candidates, usageMetadata })}\r\n\r\n`
}
