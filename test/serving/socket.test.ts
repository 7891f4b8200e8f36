import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import type { LingerLimits } from '../../src/http/linger.ts'
import { listen } from '../../src/http/listen.ts'
import { open, plainServer } from './plain-server.ts'
import { portOf, rawConnection, rawExchange } from './raw-connection.ts'
import { withServer } from './with-server.ts'

const close = 'Connection: close\r\n'
const answered: readonly (readonly [string, string, number])[] = [
  ['a plain request', `GET / HTTP/1.1\r\nHost: localhost\r\n${close}\r\n`, 200],
  ['no Host', `GET / HTTP/1.1\r\n${close}\r\n`, 400],
  ['no Host on a probe', `GET /probe HTTP/1.1\r\n${close}\r\n`, 400],
  ['an HTTP/1.0 probe without Host', 'GET /probe HTTP/1.0\r\n\r\n', 200],
  ['an HTTP/1.0 request without Host', 'GET / HTTP/1.0\r\n\r\n', 400],
  ['an empty Host', `GET / HTTP/1.1\r\nHost:\r\n${close}\r\n`, 400],
  ['two Hosts', `GET / HTTP/1.1\r\nHost: localhost\r\nhOST: evil.example\r\n${close}\r\n`, 400],
  ['a foreign Host', `GET / HTTP/1.1\r\nHost: evil.example\r\n${close}\r\n`, 421],
  ['a foreign Host on a probe', `GET /probe HTTP/1.1\r\nHost: 10.0.0.7\r\n${close}\r\n`, 200],
  ['the absolute form', `GET http://localhost/ HTTP/1.1\r\nHost: localhost\r\n${close}\r\n`, 200],
  ['the absolute form in capitals', `GET HTTP://LOCALHOST/ HTTP/1.1\r\nHost: localhost\r\n${close}\r\n`, 200],
  [
    'an absolute form for another server',
    `GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\n${close}\r\n`,
    400,
  ],
  [
    'a Host other than the absolute form',
    `GET http://localhost/ HTTP/1.1\r\nHost: evil.example\r\n${close}\r\n`,
    400,
  ],
  [
    'an absolute form for a foreign server',
    `GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n${close}\r\n`,
    421,
  ],
  [
    'an absolute form with userinfo',
    `GET http://localhost@evil.example/ HTTP/1.1\r\nHost: localhost\r\n${close}\r\n`,
    400,
  ],
  [
    'an absolute form of another scheme',
    `GET ftp://localhost/ HTTP/1.1\r\nHost: localhost\r\n${close}\r\n`,
    400,
  ],
  [
    'a foreign Host that expects 100-continue',
    `POST /echo HTTP/1.1\r\nHost: evil.example\r\nExpect: 100-continue\r\nContent-Length: 2\r\n${close}\r\n`,
    421,
  ],
  [
    'a foreign Host with an expectation nobody knows',
    `GET / HTTP/1.1\r\nHost: evil.example\r\nExpect: tea\r\n${close}\r\n`,
    421,
  ],
  ['an expectation nobody knows', `GET / HTTP/1.1\r\nHost: localhost\r\nExpect: tea\r\n${close}\r\n`, 200],
  [
    'a length over the limit that expects 100-continue',
    'POST /echo HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: 2000\r\n\r\n',
    413,
  ],
  ['the asterisk form', `OPTIONS * HTTP/1.1\r\nHost: localhost\r\n${close}\r\n`, 400],
  [
    'two Origins',
    `GET / HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\nOrigin: http://evil.example\r\n${close}\r\n`,
    403,
  ],
  ['a request line that is none', 'HELLO\r\n\r\n', 400],
  ['TLS on the plain port', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
  ['a space in the target', 'GET / x HTTP/1.1\r\nHost: localhost\r\n\r\n', 400],
  ['a header without a colon', 'GET / HTTP/1.1\r\nHost: localhost\r\nbroken\r\n\r\n', 400],
  ['a bare line feed inside a header', 'GET / HTTP/1.1\r\nHost: localhost\r\nX: a\n b\r\n\r\n', 400],
  ['headers of 20 KB', `GET / HTTP/1.1\r\nHost: localhost\r\nX-Big: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
  ['a target of 20 KB', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`, 431],
  [
    'a length and chunks at once',
    'POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    400,
  ],
  [
    'two lengths',
    'POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}',
    400,
  ],
  [
    'a broken chunk',
    'POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    400,
  ],
  [
    'a length over the limit',
    'POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2000\r\n\r\n"',
    413,
  ],
  [
    'chunks over the limit',
    `POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n7d0\r\n${'x'.repeat(2000)}\r\n`,
    413,
  ],
]

for (const [what, request, status] of answered)
  test(`${what} is answered with ${status} on the wire, and the server lives on`, async () => {
    await withServer({}, async (port) => {
      const answer = await rawExchange(port, request)
      assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `), answer)
      if (status >= 400) assert.match(answer, /\r\ncontent-type: application\/problem\+json\r\n/)
      assert.match(
        await rawExchange(port, `GET / HTTP/1.1\r\nHost: localhost\r\n${close}\r\n`),
        /^HTTP\/1\.1 200 .*hello$/s,
      )
    })
  })

test('pipelined requests are answered one by one, in their order', async () => {
  await withServer({}, async (port) => {
    const paths = ['/', '/nowhere', '/', '/%zz', '/']
    const text = paths.map(
      (path, index) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: n${index}\r\n\r\n`,
    )
    const connection = await rawConnection(port)
    connection.send(`${text.join('')}GET / HTTP/1.1\r\nHost: localhost\r\n${close}\r\n`)
    const answer = await connection.closed()
    const statuses = [...answer.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status)
    const ids = [...answer.matchAll(/x-request-id: (n\d)/g)].map(([, id]) => id)
    assert.deepEqual(statuses, ['200', '404', '200', '400', '200', '200'])
    assert.deepEqual(ids, ['n0', 'n1', 'n2', 'n3', 'n4'])
  })
})

test('rubbish behind a request does not take the place of its answer', async () => {
  const parts = plainServer()
  let release = (): void => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  parts.server.get('/slow', open, async () => {
    await held
    return 'the answer'
  })
  await listen(parts.server, { host: '127.0.0.1', port: 0 })
  const connection = await rawConnection(portOf(parts.server.server))
  connection.send('GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\nRUBBISH\r\n\r\n')
  connection.send('more rubbish')
  setImmediate(release)
  const answer = await connection.closed()
  assert.match(answer, /^HTTP\/1\.1 200 .*\r\nconnection: close\r\n.*the answer$/is)
  await parts.server.close()
})

test('connections over the maximum are refused, and the log says so once', async () => {
  await withServer({ maxConnections: 1 }, async (port, { lines }) => {
    const first = await rawConnection(port)
    first.send('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await first.until('hello')
    assert.equal(await (await rawConnection(port)).closed(), '')
    assert.equal(await (await rawConnection(port)).closed(), '')
    assert.equal(lines.filter(({ level }) => level === 'warn').length, 1)
    first.socket.destroy()
  })
})

const forever = 600_000
const longUpload = 'Content-Type: application/json\r\nContent-Length: 900000000\r\n'

/** Sends the head of a body that is refused; answers when the answer and its end have come, and can still send. */
async function refusedUpload(port: number, headers = longUpload): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  // Judged by what the connection does next.
  socket.on('error', () => {})
  let answer = ''
  socket.setEncoding('latin1').on('data', (text) => {
    answer += text
  })
  socket.write(`POST /echo HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`)
  await once(socket, 'end')
  assert.match(answer, /^HTTP\/1\.1 (?:413|415) .*\r\nconnection: close\r\n/s)
  return socket
}

/** How many bytes can be sent until the connection breaks. */
async function sendUntil(socket: Socket, most: number): Promise<number> {
  const piece = Buffer.alloc(65_536)
  for (let sent = 0; sent < most; sent += piece.length) {
    const failed = await new Promise((resolve) => void socket.write(piece, (error) => resolve(error)))
    if (failed !== undefined && failed !== null) return sent
  }
  return most
}

const enough = { ms: forever, bytes: 900_000_000, connections: 1 }
const chunked = 'Content-Type: text/html\r\nTransfer-Encoding: chunked\r\n'

for (const [what, headers] of [
  ['over the limit', longUpload],
  ['of unknown length', chunked],
] as const)
  test(`who still sends a body ${what} when it is refused is not reset`, async () => {
    await withServer({ linger: enough }, async (port) => {
      const socket = await refusedUpload(port, headers)
      assert.equal(await sendUntil(socket, 2 ** 25), 2 ** 25)
      socket.end()
      const [hadError] = await once(socket, 'close')
      assert.equal(hadError, false)
    })
  })

test('behind the last answer of a connection no request is read', async () => {
  await withServer({ linger: enough }, async (port, { server }) => {
    const paths: unknown[] = []
    server.server.on('request', ({ url }) => paths.push(url))
    const socket = await refusedUpload(port, chunked)
    socket.end('0\r\n\r\nGET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await once(socket, 'close')
    assert.equal((await fetch(`http://127.0.0.1:${port}/probe`)).status, 200)
    assert.deepEqual(paths, ['/echo', '/probe'])
  })
})

const endings: readonly (readonly [string, LingerLimits])[] = [
  ['the time is over', { ...enough, ms: 10 }],
  ['too many bytes have come', { ...enough, bytes: 2 ** 20 }],
  ['as many wait already', { ...enough, connections: 0 }],
]
for (const [when, linger] of endings)
  test(`a refused body is not read any more when ${when}`, async () => {
    await withServer({ linger }, async (port) => {
      const socket = await refusedUpload(port)
      assert.ok((await sendUntil(socket, forever * 2 ** 16)) < forever * 2 ** 16)
    })
  })

test('a connection that was waited for makes room for the next one', async () => {
  await withServer({ linger: enough }, async (port, { server }) => {
    const accepted = once(server.server, 'connection')
    const first = await refusedUpload(port)
    const [atServer] = await accepted
    const gone = once(atServer, 'close')
    first.end()
    await gone
    const second = await refusedUpload(port)
    assert.equal(await sendUntil(second, 2 ** 22), 2 ** 22)
    second.destroy()
  })
})

test('a route that takes longer bodies than others keeps the connections of those it refuses', async () => {
  const parts = plainServer()
  const long = { ...open, bodyLimit: 2 ** 20 }
  parts.server.post('/long', long, () => 'never')
  await listen(parts.server, { host: '127.0.0.1', port: 0 })
  const connection = await rawConnection(portOf(parts.server.server))
  const head = `POST /long HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/html\r\nContent-Length: ${2 ** 20}\r\n\r\n`
  connection.send(head)
  assert.doesNotMatch(await connection.until('\r\n\r\n'), /connection: close/i)
  connection.send(`${'x'.repeat(2 ** 20)}GET / HTTP/1.1\r\nHost: localhost\r\n${close}\r\n`)
  assert.match(await connection.closed(), /HTTP\/1\.1 415 .*HTTP\/1\.1 404 /s)
  await parts.server.close()
})
