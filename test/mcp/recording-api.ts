import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'

export interface RecordedRequest {
  /** The first line, byte for byte. */
  readonly line: string
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

export interface RecordingApi {
  readonly url: string
  /** What arrived on the socket, before any server library could have made sense of it. */
  readonly requests: RecordedRequest[]
  /** What it answers, without the status line's protocol and the length. */
  answer: { status: number; headers?: Readonly<Record<string, string>>; body?: string }
  readonly close: () => Promise<void>
}

/** An HTTP API on a bare TCP socket. */
export async function startRecordingApi(): Promise<RecordingApi> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    let received = ''
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
      const request = complete(received)
      if (request === undefined) return
      received = ''
      api.requests.push(request)
      const { status, headers = {}, body = '' } = api.answer
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
      socket.write(
        `HTTP/1.1 ${status} X\r\n${lines.join('')}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      )
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const api: RecordingApi = {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    requests: [],
    answer: { status: 200, headers: { 'content-type': 'application/json' }, body: '{"ok":true}' },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
  return api
}

function complete(received: string): RecordedRequest | undefined {
  const end = received.indexOf('\r\n\r\n')
  if (end === -1) return undefined
  const [line = '', ...fields] = received.slice(0, end).split('\r\n')
  const headers = new Map(
    fields.map((field) => {
      const colon = field.indexOf(':')
      return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()]
    }),
  )
  const body = received.slice(end + 4)
  return body.length < Number(headers.get('content-length') ?? 0) ? undefined : { line, headers, body }
}
