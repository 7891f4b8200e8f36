import { createServer, type Socket } from 'node:net'
import { heldEvents, heldEveryMs, type ServerSettings, streamEvent, wholeAnswer } from './models-wire.ts'
import { reportUsage } from './tools-usage.ts'

/** The mock upstream, on plain sockets: it must cost less than whatever calls it. */
const settings: ServerSettings = JSON.parse(String(process.argv[2]))

const whole = Buffer.from(
  `HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=UTF-8\r\nContent-Length: ${Buffer.byteLength(wholeAnswer)}\r\n\r\n${wholeAnswer}`,
)
const streamHead =
  'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n' as const
const first = Buffer.from(streamHead + chunk(streamEvent('Sunlight looks white, ')))
const next = Buffer.from(chunk(streamEvent('but it is made of many colours.')))
const last = Buffer.from(chunk(streamEvent('So the sky is blue.')) + chunk(''))
const restAfterMs = 5

const server = createServer({ noDelay: true }, (socket) => {
  let seen: Buffer | undefined
  socket.on('error', () => undefined)
  socket.on('data', (bytes: Buffer) => {
    const request = seen === undefined ? bytes : Buffer.concat([seen, bytes])
    const line = wholeRequest(request)
    seen = line === undefined ? request : undefined
    if (line !== undefined) answer(socket, line)
  })
})
server.listen({ port: settings.port, host: '127.0.0.1', backlog: 4096 }, () => reportUsage())

function answer(socket: Socket, line: string): void {
  if (!line.includes(':stream')) socket.write(whole)
  else if (line.includes('-held:')) hold(socket)
  else {
    socket.write(first)
    setTimeout(() => socket.write(last), restAfterMs)
  }
}

function hold(socket: Socket): void {
  socket.write(first)
  let sent = 1
  const timer = setInterval(() => {
    sent += 1
    socket.write(sent < heldEvents ? next : last)
    if (sent >= heldEvents) clearInterval(timer)
  }, heldEveryMs)
  socket.once('close', () => clearInterval(timer))
}

/** The first line of a request that has come whole. */
function wholeRequest(request: Buffer): string | undefined {
  const end = request.indexOf('\r\n\r\n')
  if (end === -1) return undefined
  const head = request.toString('latin1', 0, end)
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0)
  return request.length >= end + 4 + length ? head.slice(0, head.indexOf('\r\n')) : undefined
}

function chunk(text: string): string {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
}
