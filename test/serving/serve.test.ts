import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { postgres } from '../store/engines.ts'
import { portOf, rawConnection, rawExchange } from './raw-connection.ts'
import { freshFolder, type Postern, portOfUrl, spawnPostern } from './spawn-postern.ts'

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`

/** Port 0 in the file, with the public URL beside it: any number of these can run at once. */
const settings = (more = ''): string => `server:\n  port: 0\n  publicUrl: http://127.0.0.1:1\n${more}`

/** The line "stopping" comes a moment before the port is given up, so it may take more than one try. */
async function refusal(port: number): Promise<void> {
  for (;;) {
    const socket = connect({ port, host: '127.0.0.1' })
    const outcome: unknown = await once(socket, 'connect').catch((error: unknown) => error)
    // The server would keep one that it has still accepted until something is sent.
    socket.destroy()
    if (outcome instanceof Error && 'code' in outcome && outcome.code === 'ECONNREFUSED') return
    await delay(10)
  }
}

/** A request of which a part is still to come, and which the server has begun to read. */
async function beginRequest(port: number): ReturnType<typeof rawConnection> {
  const inFlight = await rawConnection(port)
  inFlight.send('GET /healthz HTTP/1.1\r\nHost: local')
  await rawExchange(port, get('/healthz'))
  return inFlight
}

async function ready(postern: Postern): Promise<number> {
  return portOfUrl(await postern.logs('ready'))
}

test('serve needs no configuration: one ready line, probes answer, SIGTERM ends it with 0', async (t) => {
  await using folder = await freshFolder()
  const startedAt = performance.now()
  await using postern = spawnPostern(['serve', '--port', '0'], { cwd: folder.path })
  const line = await postern.logs('ready')
  const waited = performance.now() - startedAt
  const port = portOfUrl(line)
  assert.equal(line.level, 'info')
  assert.equal(line.url, `http://127.0.0.1:${port}`)
  assert.equal(line.store, 'sqlite')
  assert.equal(line.public_url, line.url)
  assert.ok(Number(line.startup_ms) > 0 && Number(line.startup_ms) <= waited)
  t.diagnostic(`ready after ${Number(line.startup_ms)} ms`)
  assert.match(await rawExchange(port, get('/healthz')), /^HTTP\/1\.1 200 .*\{"status":"ok"\}$/s)
  assert.match(
    await rawExchange(port, get('/readyz')),
    /^HTTP\/1\.1 200 .*\{"status":"ready","checks":\{"store":"ok"\}\}$/s,
  )
  postern.child.kill('SIGTERM')
  assert.equal(await postern.ended(), 0)
  assert.equal(postern.out().match(/"msg":"ready"/g)?.length, 1)
  assert.equal(postern.err(), '')
})

test('a request in flight at SIGTERM is answered while new connections are refused, and SIGHUP is ignored', async () => {
  await using folder = await freshFolder()
  await folder.write('postern.yaml', settings())
  await using postern = spawnPostern(['serve'], { cwd: folder.path })
  const port = await ready(postern)
  const inFlight = await beginRequest(port)
  postern.child.kill('SIGTERM')
  assert.equal((await postern.logs('stopping')).signal, 'SIGTERM')
  postern.child.kill('SIGHUP')
  await refusal(port)
  inFlight.send('host\r\n\r\n')
  assert.match(await inFlight.closed(), /^HTTP\/1\.1 200 .*\r\nconnection: close\r\n.*\{"status":"ok"\}$/is)
  assert.equal(await postern.ended(), 0)
  assert.doesNotMatch(postern.out(), /configuration/)
})

test('SIGHUP puts changed hosts and log level in force without a restart; a second SIGTERM ends the program at once with 1', async () => {
  await using folder = await freshFolder()
  await folder.write('postern.yaml', settings())
  await using postern = spawnPostern(['serve'], { cwd: folder.path })
  const port = await ready(postern)
  const foreign = 'GET /nowhere HTTP/1.1\r\nHost: new.example\r\nConnection: close\r\n\r\n'
  assert.match(await rawExchange(port, foreign), /^HTTP\/1\.1 421 /)
  await folder.write('postern.yaml', settings('  allowedHosts: [new.example]\nlog: { level: debug }\n'))
  postern.child.kill('SIGHUP')
  const { changed } = await postern.logs('configuration reloaded')
  assert.deepEqual(changed, ['server.allowedHosts', 'log.level'])
  assert.match(await rawExchange(port, foreign), /^HTTP\/1\.1 404 /)
  assert.equal((await postern.logs('request')).status, 404)
  await stopTwice(postern, port, 'SIGTERM')
})

test('SIGHUP with a change that takes a restart, or with a broken file, is refused and serving goes on; a second SIGINT ends the program at once with 1', async () => {
  await using folder = await freshFolder()
  await folder.write('postern.yaml', settings())
  await using postern = spawnPostern(['serve'], { cwd: folder.path })
  const port = await ready(postern)
  const refused = async (text: string): Promise<unknown> => {
    await folder.write('postern.yaml', text)
    postern.child.kill('SIGHUP')
    return (await postern.logs('configuration not reloaded, the old one stays in force')).reason
  }
  assert.match(
    String(await refused(settings('  shutdownSeconds: 3\n'))),
    /server\.shutdownSeconds: a change here takes a restart/,
  )
  assert.match(String(await refused(settings('  alowedHosts: []\n'))), /^postern\.yaml:4:3: .*allowedHosts/)
  assert.match(await rawExchange(port, get('/healthz')), /^HTTP\/1\.1 200 /)
  await folder.write('postern.yaml', settings())
  postern.child.kill('SIGHUP')
  assert.deepEqual((await postern.logs('configuration unchanged')).changed, [])
  await stopTwice(postern, port, 'SIGINT')
})

test('a promise that a tool module forgets is logged and serving goes on; an error that nobody catches ends the program with 1', async () => {
  await using folder = await freshFolder()
  const tools = 'tools: { sources: [{ kind: module, path: ./faulty.mjs }] }'
  // Without an issuer no tools are served; nobody asks this one for a token.
  await folder.write('postern.yaml', settings(`issuers: [{ issuer: "http://127.0.0.1:2" }]\n${tools}\n`))
  await folder.write(
    'faulty.mjs',
    [
      'export const tools = []',
      'process.on("SIGUSR2", () => void Promise.reject(new Error("forgotten")))',
      'process.on("SIGWINCH", () => { throw new Error("uncaught") })',
    ].join('\n'),
  )
  await using postern = spawnPostern(['serve'], { cwd: folder.path })
  const port = await ready(postern)
  postern.child.kill('SIGUSR2')
  const line = await postern.logs('a promise was rejected and nobody waits for it; see the tool that made it')
  assert.equal(line.level, 'error')
  assert.match(JSON.stringify(line.err), /forgotten.*faulty\.mjs/)
  assert.match(await rawExchange(port, get('/healthz')), /^HTTP\/1\.1 200 /)
  postern.child.kill('SIGWINCH')
  assert.match(JSON.stringify((await postern.logs('crashed')).err), /uncaught/)
  assert.equal(await postern.ended(), 1)
})

async function stopTwice(postern: Postern, port: number, signal: 'SIGTERM' | 'SIGINT'): Promise<void> {
  const inFlight = await beginRequest(port)
  postern.child.kill(signal)
  await postern.logs('stopping')
  postern.child.kill(signal)
  assert.equal(await postern.ended(), 1)
  await inFlight.closed()
}

test('SIGHUP during the start does not end the program but reloads once it is ready; what does not finish in time at its end is cut', async () => {
  await using folder = await freshFolder()
  await folder.write('postern.yaml', settings('  shutdownSeconds: 1\n'))
  // The signal comes while the store is being opened.
  const code = `import { DatabaseSync } from "node:sqlite"
    const { open } = DatabaseSync.prototype
    DatabaseSync.prototype.open = function () { process.kill(process.pid, "SIGHUP"); open.call(this) }`
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` }
  await using postern = spawnPostern(['serve'], { cwd: folder.path, env })
  assert.deepEqual((await postern.logs('configuration unchanged')).changed, [])
  const inFlight = await beginRequest(await ready(postern))
  postern.child.kill('SIGTERM')
  assert.equal((await postern.logs('cutting what is still in flight')).connections, 1)
  assert.equal(await postern.ended(), 0)
  assert.equal(await inFlight.closed(), '')
})

test('after kill -9 the program starts again on the same SQLite file, which lies beside its configuration, wherever it is started', async () => {
  await using folder = await freshFolder()
  await using elsewhere = await freshFolder()
  await folder.write('postern.yaml', settings('store: sqlite:./mine/here.db\n'))
  const file = join(folder.path, 'postern.yaml')
  for (const cwd of [folder.path, elsewhere.path]) {
    await using postern = spawnPostern(['serve', '--config', file], { cwd })
    assert.match(await rawExchange(await ready(postern), get('/readyz')), /^HTTP\/1\.1 200 /)
    postern.child.kill('SIGKILL')
    assert.equal(await postern.ended(), 'SIGKILL')
  }
  assert.deepEqual(await readdir(elsewhere.path), [])
  assert.ok(existsSync(join(folder.path, 'mine', 'here.db')))
})

test('a port in use ends the program with 1 and a message that says what to do', async () => {
  await using folder = await freshFolder()
  const holder = createServer().listen(0, '127.0.0.1')
  await once(holder, 'listening')
  const port = portOf(holder)
  await using postern = spawnPostern(['serve', '--port', String(port)], { cwd: folder.path })
  assert.equal(await postern.ended(), 1)
  assert.match(
    postern.err(),
    new RegExp(`^postern: cannot listen on 127\\.0\\.0\\.1:${port}: the port is in use; .*server\\.port`),
  )
  assert.doesNotMatch(postern.err(), /\n\s+at /)
  holder.close()
})

test('a wrong configuration ends the program with 1 and the place of every error', async () => {
  await using folder = await freshFolder()
  await folder.write('postern.yaml', 'server:\n  prt: 8080\nstor: sqlite:x.db\n')
  await using postern = spawnPostern(['serve'], { cwd: folder.path })
  assert.equal(await postern.ended(), 1)
  assert.match(postern.err(), /^postern\.yaml:2:3: .*"port"/m)
  assert.match(postern.err(), /^postern\.yaml:3:1: .*"store"/m)
  assert.equal(postern.out(), '')
})

test('no secret of the configuration reaches the output, from the start to the end', async () => {
  await using folder = await freshFolder()
  await using database = await postgres.create()
  const pagingKey = 'yQ3vT8mZr1Lw6Xb9Kd2Hs7Nf4Gj5Pc0A'
  await folder.write(
    'postern.yaml',
    settings(`store: \${STORE}\npaging: { keys: ["\${KEY}"] }\nlog: { level: trace }\n`),
  )
  const store = new URL(database.url)
  // The server of the tests asks for no password, so any will do.
  store.password ||= 'hidden-word-of-the-store'
  const env = { STORE: store.href, KEY: pagingKey }
  await using postern = spawnPostern(['serve'], { cwd: folder.path, env })
  const line = await postern.logs('ready')
  assert.equal(line.store, 'postgres')
  await rawExchange(portOfUrl(line), get(`/readyz?key=${pagingKey}`))
  postern.child.kill('SIGTERM')
  assert.equal(await postern.ended(), 0)
  for (const secret of [pagingKey, store.password])
    assert.ok(!postern.out().includes(secret) && !postern.err().includes(secret))
})

test('a store that cannot be opened ends the program with 1 and names the setting', async () => {
  await using folder = await freshFolder()
  await folder.write('postern.yaml', settings('store: postgres://me:hidden-word@127.0.0.1:1/x\n'))
  await using postern = spawnPostern(['serve'], { cwd: folder.path })
  assert.equal(await postern.ended(), 1)
  assert.doesNotMatch(postern.err() + postern.out(), /hidden-word/)
  assert.match(postern.err(), /^postern: .*correct host and port in the store URL/)
})

test('an exception that nobody catches is logged before the program ends with 1', async () => {
  await using folder = await freshFolder()
  const onSignal = encodeURIComponent('process.on("SIGUSR2", () => { throw new Error("boom") })')
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${onSignal}` }
  await using postern = spawnPostern(['serve', '--port', '0'], { cwd: folder.path, env })
  await ready(postern)
  postern.child.kill('SIGUSR2')
  assert.match(JSON.stringify(await postern.logs('crashed')), /"level":"fatal".*boom/)
  assert.equal(await postern.ended(), 1)
  assert.equal(postern.err(), '')
})
