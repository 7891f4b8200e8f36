import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import type { onRequestHookHandler } from 'fastify'
import { listen } from '../../src/http/listen.ts'
import { takeOwnTime } from '../../src/http/own-time.ts'
import { open, plainServer } from './plain-server.ts'
import { portOf, rawConnection, rawExchange } from './raw-connection.ts'
import { withServer } from './with-server.ts'

/** Where the failure would be to wait for ever. */
const limited = { timeout: 50_000 } as const
const close = 'Connection: close\r\n'

test('a body far over the limit is refused before it has been read to its end', async () => {
  await withServer({}, async (port) => {
    const connection = await rawConnection(port)
    connection.send(
      'POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 50000000\r\n\r\n',
    )
    connection.send('x'.repeat(1_000_000))
    assert.match(await connection.closed(), /^HTTP\/1\.1 413 .*\r\nconnection: close\r\n/s)
  })
})

const unreadBodies = [
  ['of a foreign host', 'POST /echo HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 50000000', 421],
  ['for an unknown path', 'POST /nowhere HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50000000', 404],
  [
    'in chunks for an unknown path',
    'POST /nowhere HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked',
    404,
  ],
  ['for a broken target', 'POST /%zz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50000000', 400],
  ['of a GET', 'GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50000000', 200],
] as const

for (const [what, head, status] of unreadBodies)
  test(`a body ${what} that nobody reads ends its connection`, limited, async () => {
    await withServer({}, async (port) => {
      const answer = await rawExchange(port, `${head}\r\n\r\n`)
      assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} .*\r\nconnection: close\r\n`, 's'))
    })
  })

test('a small body that nobody reads leaves its connection open', limited, async () => {
  await withServer({}, async (port) => {
    const connection = await rawConnection(port)
    connection.send('POST /nowhere HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}')
    await connection.until('HTTP/1.1 404 ')
    connection.send(`GET / HTTP/1.1\r\nHost: localhost\r\n${close}\r\n`)
    assert.match(await connection.closed(), /HTTP\/1\.1 200 .*hello$/s)
  })
})

test(
  'who expects 100-continue gets it once the request has passed the guards, and then the answer',
  limited,
  async () => {
    await withServer({}, async (port) => {
      const connection = await rawConnection(port)
      connection.send(
        `POST /echo HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: 2\r\n${close}\r\n`,
      )
      await connection.until('HTTP/1.1 100 Continue\r\n\r\n')
      connection.send('{}')
      assert.match(await connection.closed(), /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 .*\{\}$/s)
    })
  },
)

test(
  'a caller that does not take its answer is cut when the time of a request has passed',
  limited,
  async () => {
    const parts = plainServer({ requestTimeoutSeconds: 0.8 })
    parts.server.get('/large', open, () => Buffer.alloc(50_000_000))
    await listen(parts.server, { host: '127.0.0.1', port: 0 })
    const accepted = once(parts.server.server, 'connection')
    const connection = await rawConnection(portOf(parts.server.server))
    connection.socket.pause()
    connection.send('GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n')
    const [socket] = await accepted
    await once(socket, 'close')
    assert.ok(parts.lines.some(({ msg }) => String(msg).startsWith('cut a connection')))
    connection.socket.destroy()
    await parts.server.close()
  },
)

test('an answer that is long in coming, or silent for long, is not cut', limited, async () => {
  const parts = plainServer({ requestTimeoutSeconds: 0.8 })
  parts.server.get('/silent', open, (_request, reply) => {
    reply.hijack()
    setTimeout(() => reply.raw.writeHead(200).write('begin '), 1200)
    setTimeout(() => reply.raw.end('end'), 2400)
  })
  await listen(parts.server, { host: '127.0.0.1', port: 0 })
  const connection = await rawConnection(portOf(parts.server.server))
  connection.send(`GET /silent HTTP/1.1\r\nHost: localhost\r\n${close}\r\n`)
  assert.match(await connection.closed(), /begin .*end/s)
  await parts.server.close()
})

test(
  'a caller that hangs up before its answer leaves a line with method, path and time',
  limited,
  async () => {
    const parts = plainServer()
    let arrived = (): void => {}
    const isThere = new Promise<void>((resolve) => {
      arrived = resolve
    })
    const closed = new Promise<void>((resolve) => {
      parts.server.get('/held', open, (_request, reply) => {
        reply.raw.once('close', () => resolve())
        arrived()
        return new Promise(() => {})
      })
    })
    await listen(parts.server, { host: '127.0.0.1', port: 0 })
    const connection = await rawConnection(portOf(parts.server.server))
    connection.send('GET /held?secret HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: r1\r\n\r\n')
    await isThere
    connection.socket.destroy()
    await closed
    const [line, ...others] = parts.lines
    assert.deepEqual(
      [line?.level, line?.method, line?.path, line?.request_id, typeof line?.ms],
      ['debug', 'GET', '/held', 'r1', 'number'],
    )
    assert.equal(line?.msg, 'connection closed before the answer was out')
    assert.equal(others.length, 0)
    await parts.server.close()
  },
)

test('headers that trickle in are cut with 408 when their time is over', async () => {
  await withServer({ headersTimeoutSeconds: 0.2, requestTimeoutSeconds: 10 }, async (port) => {
    const connection = await rawConnection(port)
    connection.send('GET / HTTP/1.1\r\nHost: localhost\r\n')
    const drip = setInterval(() => connection.send('X-Slow: 1\r\n'), 20)
    const answer = await connection.closed()
    clearInterval(drip)
    assert.match(answer, /^HTTP\/1\.1 408 .*application\/problem\+json/s)
  })
})

test('a body that trickles in is cut with 408 when the time of the request is over', async () => {
  await withServer({ headersTimeoutSeconds: 0.2, requestTimeoutSeconds: 0.3 }, async (port) => {
    const connection = await rawConnection(port)
    connection.send(
      'POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n',
    )
    const drip = setInterval(() => connection.send(' '), 20)
    const answer = await connection.closed()
    clearInterval(drip)
    assert.match(answer, /^HTTP\/1\.1 408 /)
  })
})

test(
  'a body that is read in its own time is not cut when the time of the request is over',
  limited,
  async () => {
    // So short, Node looks for late requests often.
    const parts = plainServer({ headersTimeoutSeconds: 0.2 })
    const { server } = parts.server
    const isTaken = Promise.withResolvers<void>()
    const onRequest: onRequestHookHandler = (...[request, , done]) => {
      takeOwnTime(request.raw)
      isTaken.resolve()
      done()
    }
    parts.server.post('/own', { ...open, onRequest }, (request) => request.body)
    await listen(parts.server, { host: '127.0.0.1', port: 0 })
    const connection = await rawConnection(portOf(server))
    const isOver = once(server, 'clientError')
    const head = 'Host: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n'
    connection.send(`POST /own HTTP/1.1\r\n${head}${close}\r\n[`)
    await isTaken.promise
    server.requestTimeout = 1
    const [{ code }] = await isOver
    assert.equal(code, 'ERR_HTTP_REQUEST_TIMEOUT')
    connection.send(']')
    assert.match(await connection.closed(), /^HTTP\/1\.1 200 .*\[\]$/s)
    await parts.server.close()
  },
)

test('what is left of a body that was read in its own time is not waited for', limited, async () => {
  const parts = plainServer()
  const onRequest: onRequestHookHandler = (...[request, , done]) => {
    takeOwnTime(request.raw)
    done()
  }
  parts.server.post('/own', { ...open, onRequest }, () => 'never')
  await listen(parts.server, { host: '127.0.0.1', port: 0 })
  const head = 'Host: localhost\r\nContent-Type: text/html\r\nContent-Length: 2\r\n'
  const answer = await rawExchange(portOf(parts.server.server), `POST /own HTTP/1.1\r\n${head}\r\n[`)
  assert.match(answer, /^HTTP\/1\.1 415 .*\r\nconnection: close\r\n/s)
  await parts.server.close()
})

test('a connection that never says anything is cut', limited, async () => {
  await withServer({ headersTimeoutSeconds: 0.2, requestTimeoutSeconds: 10 }, async (port) => {
    const connection = await rawConnection(port)
    await connection.closed()
  })
})

test('an idle connection is closed when its keep-alive time is over', async () => {
  await withServer({ keepAliveTimeoutSeconds: 0.1 }, async (port) => {
    const connection = await rawConnection(port)
    connection.send('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
    assert.match(await connection.closed(), /^HTTP\/1\.1 200 /)
  })
})

test('a caller that hangs up inside its body leaves no error in the log', async () => {
  await withServer({}, async (port, { server, lines }) => {
    const hungUp = new Promise<void>((resolve) => {
      server.server.once('connection', (socket) => socket.once('close', () => resolve()))
    })
    const connection = await rawConnection(port)
    connection.send(
      'POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{',
    )
    await new Promise((resolve) => connection.socket.write(' ', resolve))
    connection.socket.resetAndDestroy()
    await hungUp
    await new Promise((resolve) => setImmediate(resolve))
    assert.deepEqual(
      lines.filter(({ level }) => level !== 'debug'),
      [],
    )
  })
})
