import { connect as connectPlain, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { bad, good, left, type Outcome } from '../client/doctor/check.ts'
import type { Examination } from '../client/doctor/examination.ts'

/** Says PING to Redis or Valkey, with the credentials of the configuration. */
export async function checkShared(examination: Examination, address: string | undefined): Promise<void> {
  const url = address === undefined ? undefined : new URL(address)
  await examination.check(
    'shared',
    (signal) => (url === undefined ? left('Each process counts limits for itself') : ping(url, signal)),
    `${url?.protocol}//${url?.host}`,
  )
}

async function ping(url: URL, signal: AbortSignal): Promise<Outcome> {
  const credentials = credentialsOf(url)
  const commands = [...(credentials.length === 0 ? [] : [['AUTH', ...credentials]]), ['PING']]
  const socket = open(url)
  const stop = (): void => void socket.destroy()
  signal.addEventListener('abort', stop)
  try {
    const replies = await ask(socket, commands)
    const refusal = replies.find((reply) => reply.startsWith('-'))
    if (refusal === undefined) return good(`${url.host} answers`)
    // The reply repeats nothing of what was sent; its first word says it all.
    const [word = ''] = refusal.slice(1).split(' ')
    return bad({
      cause: 'shared_refused',
      detail: `${url.host} answers, and refuses the gateway (${word})`,
      cure: 'Correct user and password of "shared" in the configuration.',
    })
  } finally {
    signal.removeEventListener('abort', stop)
    socket.destroy()
  }
}

/** A user without a password is the password. */
function credentialsOf({ username, password }: URL): readonly string[] {
  return [username, password].filter((part) => part !== '').map(decodeURIComponent)
}

function open({ protocol, hostname, port }: URL): Socket {
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const place = { host, port: port === '' ? 6379 : Number(port) }
  return protocol === 'rediss:' ? connectTls({ ...place, servername: host }) : connectPlain(place)
}

/** In the protocol of Redis: each command is an array of strings, and each of these replies is one line. */
async function ask(socket: Socket, commands: readonly (readonly string[])[]): Promise<readonly string[]> {
  socket.setEncoding('utf8')
  socket.write(commands.map(encoded).join(''))
  let heard = ''
  for await (const text of socket) {
    heard += String(text)
    const lines = heard.split('\r\n').slice(0, -1)
    if (lines.length >= commands.length || lines.some((line) => line.startsWith('-'))) return lines
    if (heard.length > longest) break
  }
  return ['-ended the connection']
}

const longest = 10_000

function encoded(words: readonly string[]): string {
  return [`*${words.length}`, ...words.flatMap((word) => [`$${Buffer.byteLength(word)}`, word]), ''].join(
    '\r\n',
  )
}
