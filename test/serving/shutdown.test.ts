import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Server } from 'node:net'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { readinessHandler } from '../../src/http/health.ts'
import { listen } from '../../src/http/listen.ts'
import { createShutdown, type Shutdown } from '../../src/http/shutdown.ts'
import { open, plainServer } from './plain-server.ts'
import { portOf, rawConnection } from './raw-connection.ts'

interface Stoppable {
  readonly port: number
  readonly server: Server
  readonly shutdown: Shutdown
  readonly lines: Readonly<Record<string, unknown>>[]
  /** What happened, in order. */
  readonly events: string[]
  /** Lets the handler of /held answer. */
  readonly release: () => void
  /** Resolves when a request has reached /held. */
  readonly arrived: Promise<void>
}

async function stoppable(graceSeconds = 40): Promise<Stoppable> {
  const { server, log, lines } = plainServer()
  const events: string[] = []
  const held = gate()
  const arrived = gate()
  const shutdown = createShutdown(server, {
    graceSeconds,
    log,
    release: async () => void events.push('released'),
  })
  server.get('/', open, () => 'hello')
  server.get(
    '/readyz',
    open,
    readinessHandler(async () => ({}), shutdown.isStopping),
  )
  server.get('/held', open, async () => {
    arrived.pass()
    await held.passed
    events.push('answered')
    return 'the answer'
  })
  await listen(server, { host: '127.0.0.1', port: 0 })
  return {
    port: portOf(server.server),
    server: server.server,
    shutdown,
    lines,
    events,
    release: held.pass,
    arrived: arrived.passed,
  }
}

function gate(): { readonly passed: Promise<void>; readonly pass: () => void } {
  let pass = (): void => {}
  const passed = new Promise<void>((resolve) => {
    pass = resolve
  })
  return { passed, pass }
}

const request = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`

test('a request in flight is answered, as the last on its connection, before anything is released', async () => {
  const { port, shutdown, events, release, arrived } = await stoppable()
  const connection = await rawConnection(port)
  connection.send(request('/held'))
  await arrived
  const stopped = shutdown.stop()
  release()
  const answer = await connection.closed()
  await stopped
  assert.match(answer, /^HTTP\/1\.1 200 .*\r\nconnection: close\r\n.*the answer$/is)
  assert.deepEqual(events, ['answered', 'released'])
})

test('while the last answers go out, a new connection is refused', async () => {
  const { port, server, shutdown, release, arrived } = await stoppable()
  const connection = await rawConnection(port)
  connection.send(request('/held'))
  await arrived
  const stopped = shutdown.stop()
  while (server.listening) await turn()
  const [error] = await once(connect({ port, host: '127.0.0.1' }), 'error')
  assert.equal(error.code, 'ECONNREFUSED')
  release()
  await stopped
})

test('idle connections, used or unused, do not hold the server up', async () => {
  const { port, shutdown, lines } = await stoppable(60)
  const unused = await rawConnection(port)
  const used = await rawConnection(port)
  used.send(request('/'))
  await used.until('hello')
  await shutdown.stop()
  await Promise.all([unused.closed(), used.closed()])
  assert.equal(lines.filter(({ level }) => level === 'warn').length, 0)
})

test('a request whose last bytes arrive during the shutdown is still answered, and readiness says stopping', async () => {
  const { port, shutdown } = await stoppable()
  const connection = await rawConnection(port)
  connection.send('GET /readyz HTTP/1.1\r\nHost: local')
  const other = await rawConnection(port)
  other.send(request('/'))
  await other.until('hello')
  const stopped = shutdown.stop()
  connection.send('host\r\n\r\n')
  const answer = await connection.closed()
  await stopped
  assert.match(answer, /^HTTP\/1\.1 503 .*\r\nconnection: close\r\n.*\{"status":"stopping"\}$/is)
})

test('a stream that had begun before the shutdown runs to its end and does not hold its connection', async () => {
  const { server, log, lines } = plainServer({ keepAliveTimeoutSeconds: 600 })
  const shutdown = createShutdown(server, { graceSeconds: 40, log, release: async () => {} })
  const held = gate()
  server.get('/stream', open, (_request, reply) => {
    reply.hijack()
    reply.raw.writeHead(200).write('begin ')
    void held.passed.then(() => reply.raw.end('end'))
  })
  await listen(server, { host: '127.0.0.1', port: 0 })
  const connection = await rawConnection(portOf(server.server))
  connection.send(request('/stream'))
  await connection.until('begin')
  const stopped = shutdown.stop()
  while (server.server.listening) await turn()
  held.pass()
  assert.match(await connection.closed(), /begin.*end/s)
  await stopped
  assert.equal(lines.filter(({ level }) => level === 'warn').length, 0)
})

test('a connection that slips in while the shutdown begins does not hold it up', async () => {
  const { server, log, lines } = plainServer()
  const shutdown = createShutdown(server, { graceSeconds: 40, log, release: async () => {} })
  const beginning = gate()
  server.addHook('preClose', () => beginning.passed)
  await listen(server, { host: '127.0.0.1', port: 0 })
  const accepted = once(server.server, 'connection')
  const stopped = shutdown.stop()
  const late = await rawConnection(portOf(server.server))
  await accepted
  beginning.pass()
  await Promise.all([stopped, late.closed()])
  assert.equal(lines.filter(({ level }) => level === 'warn').length, 0)
})

test('what is still in flight when the time is over is cut, and the log says how much', async () => {
  const { port, shutdown, lines, events, arrived } = await stoppable(0.05)
  const connection = await rawConnection(port)
  connection.send(request('/held'))
  await arrived
  await shutdown.stop()
  assert.equal(await connection.closed(), '')
  assert.deepEqual(events, ['released'])
  const warning = lines.find(({ level }) => level === 'warn')
  assert.equal(warning?.connections, 1)
})

test('a store that does not close in time is left behind, and the log says so', {
  timeout: 50_000,
}, async () => {
  const { server, log, lines } = plainServer()
  const hang = (): Promise<void> => new Promise(() => {})
  await createShutdown(server, { graceSeconds: 40, log, release: hang, releaseSeconds: 0.02 }).stop()
  assert.deepEqual(
    lines.map(({ level, msg }) => [level, msg]),
    [['warn', 'the store did not close in time']],
  )
})

test('stopping twice is stopping once', async () => {
  const { shutdown, events } = await stoppable()
  assert.equal(shutdown.isStopping(), false)
  await Promise.all([shutdown.stop(), shutdown.stop()])
  await shutdown.stop()
  assert.equal(shutdown.isStopping(), true)
  assert.deepEqual(events, ['released'])
})
