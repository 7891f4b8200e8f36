import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startLocalIssuer } from '../../test/auth/local-issuer.ts'
import { fixedSource } from '../../test/mcp/tool-server.ts'
import { recordingLog } from '../../test/serving/plain-server.ts'
import { portOf, rawConnection } from '../../test/serving/raw-connection.ts'
import { parseConfig } from '../config/parse-config.ts'
import { openStore } from '../store/open-store.ts'
import { createGateway, type Gateway, type GatewayOptions } from './gateway.ts'

interface Parts {
  readonly gateway: Gateway
  readonly lines: Readonly<Record<string, unknown>>[]
  readonly reload: (yaml: string) => readonly string[]
}

async function gatewayWith(yaml = '', more: Partial<GatewayOptions> = {}): Promise<Parts> {
  const { log, lines } = recordingLog()
  const store = await openStore('sqlite::memory:', { log })
  lines.length = 0
  const read = (text: string) => parseConfig(text, { file: 'postern.yaml', env: {} })
  const gateway = createGateway({ config: read(yaml), store, log, ...more })
  return { gateway, lines, reload: (text) => gateway.reload(read(text)) }
}

async function statusFor(gateway: Gateway, headers: Record<string, string>): Promise<number> {
  return (await gateway.inject({ url: '/somewhere', headers })).statusCode
}

test('the gateway serves these routes and no others', async () => {
  const { gateway } = await gatewayWith()
  await gateway.ready()
  const routes = gateway.printRoutes({ commonPrefix: false })
  assert.deepEqual(routes.match(/\S+ \([A-Z, ]+\)/g), ['/healthz (GET, HEAD)', '/readyz (GET, HEAD)'])
})

test('with an issuer the gateway serves the tool server, the administration and their metadata as well, and nothing that gives out tokens', async () => {
  const { gateway } = await gatewayWith('issuers: [{ issuer: https://login.example }]')
  await gateway.ready()
  const routes = gateway.printRoutes({ commonPrefix: false })
  assert.deepEqual(routes.match(/\S+ \([A-Z, ]+\)/g), [
    '/healthz (GET, HEAD)',
    '/readyz (GET, HEAD)',
    '/.well-known/oauth-protected-resource (GET, HEAD, OPTIONS)',
    '/mcp (GET, HEAD, OPTIONS)',
    '/api (GET, HEAD, OPTIONS)',
    '/mcp (POST)',
    '/api/v1/openapi.json (GET, HEAD)',
    '/api/v1/sessions (GET)',
    '/:id (GET, DELETE)',
    '/api/v1/service-accounts (GET, POST)',
    '/:id([^:]+)::rotate (POST)',
    '/:id (GET, PATCH, DELETE)',
    '/keys/:kid (DELETE)',
    '/api/v1/events (GET)',
    ':stream (GET)',
    '/api/v1/keys (GET, POST)',
    '/:id([^:]+)::rotate (POST)',
    '/:id (GET, PATCH, DELETE)',
    '/api/v1/usage (GET)',
  ])
  assert.equal((await gateway.inject({ method: 'POST', url: '/mcp' })).statusCode, 401)
  await gateway.stop()
})

test('the resource is the public URL with /mcp behind it, and its issuers are those of the configuration', async () => {
  const { gateway } = await gatewayWith(`
    server: { host: 0.0.0.0, publicUrl: https://gate.example }
    issuers: [{ issuer: https://login.example }, { issuer: https://other.example }]`)
  const headers = { host: 'gate.example' }
  const document = await gateway.inject({ url: '/.well-known/oauth-protected-resource/mcp', headers })
  const refused = await gateway.inject({ method: 'POST', url: '/mcp', headers })
  const { resource, authorization_servers } = document.json()
  assert.equal(resource, 'https://gate.example/mcp')
  assert.deepEqual(authorization_servers, ['https://login.example', 'https://other.example'])
  assert.equal(
    refused.headers['www-authenticate'],
    'Bearer resource_metadata="https://gate.example/.well-known/oauth-protected-resource/mcp"',
  )
  await gateway.stop()
})

test('tools without an issuer are not served, and a warning says why', async () => {
  const { gateway, lines } = await gatewayWith('tools: { sources: [{ kind: builtin }] }')
  assert.equal((await gateway.inject({ method: 'POST', url: '/mcp' })).statusCode, 404)
  assert.match(String(lines[0]?.msg), /^tools are configured but not served: no issuer is/)
})

test('a decision of the tool server is told to the hook, and stopping closes the sources of tools', async () => {
  const reasons: string[] = []
  let closed = 0
  const source = {
    ...fixedSource('fixed', []),
    close: async () => {
      closed += 1
    },
  }
  const { gateway } = await gatewayWith('issuers: [{ issuer: https://login.example }]', {
    toolSources: [{ source }],
    onDecision: ({ reason }) => void reasons.push(reason),
  })
  await gateway.inject({ method: 'POST', url: '/mcp' })
  await gateway.stop()
  assert.deepEqual([reasons, closed], [['missing_token'], 1])
})

test('liveness and readiness answer to a probe that calls by address', async () => {
  const { gateway } = await gatewayWith('server: { host: 0.0.0.0, publicUrl: https://gate.example }')
  const headers = { host: '10.2.3.4:8080' }
  const live = await gateway.inject({ url: '/healthz', headers })
  const ready = await gateway.inject({ url: '/readyz', headers })
  assert.deepEqual([live.statusCode, live.json()], [200, { status: 'ok' }])
  assert.deepEqual([ready.statusCode, ready.json()], [200, { status: 'ready', checks: { store: 'ok' } }])
})

test('a gateway is ready once the keys of its issuers have been read, and says whose are missing', async () => {
  const issuer = await startLocalIssuer({ audience: 'http://127.0.0.1:8080/mcp' })
  issuer.mode = 'down'
  const { gateway, lines } = await gatewayWith(`issuers: [{ issuer: "${issuer.issuer}" }]`)
  const early = await gateway.inject('/readyz')
  assert.deepEqual([early.statusCode, early.json().checks], [503, { store: 'ok', keys: 'failed' }])
  assert.match(JSON.stringify(lines), new RegExp(`the keys of ${issuer.issuer} have not been read yet`))
  issuer.mode = 'up'
  while ((await gateway.inject('/readyz')).statusCode !== 200);
  issuer.mode = 'down'
  assert.equal((await gateway.inject('/readyz')).statusCode, 200)
  await gateway.stop()
  await issuer.stop()
})

test('the bodies under way have the room that the configuration gives them, and the largest one always finds some', async () => {
  const issuer = await startLocalIssuer({ audience: 'http://127.0.0.1:8080/mcp' })
  const server = 'server: { bodyLimitBytes: 1048576, bodyBudgetBytes: 1048576 }'
  const { gateway } = await gatewayWith(`${server}\nissuers: [{ issuer: "${issuer.issuer}" }]`)
  await gateway.listen({ host: '127.0.0.1', port: 0 })
  const head = (length: number): string =>
    [
      'POST /mcp HTTP/1.1',
      'host: 127.0.0.1:8080',
      `authorization: Bearer ${issuer.token()}`,
      'content-type: application/json',
      `content-length: ${length}`,
      'expect: 100-continue\r\n\r\n',
    ].join('\r\n')
  const first = await rawConnection(portOf(gateway.server))
  first.send(head(1_048_576))
  await first.until('100 Continue')
  const second = await rawConnection(portOf(gateway.server))
  second.send(head(20_000))
  assert.match(await second.until('jsonrpc'), /^HTTP\/1\.1 429 /)
  for (const { socket } of [first, second]) socket.destroy()
  await gateway.stop()
  await issuer.stop()
})

test('a listening gateway reads the keys of its issuers without being asked', async () => {
  const issuer = await startLocalIssuer({ audience: 'http://127.0.0.1:8080/mcp' })
  const { gateway } = await gatewayWith(`issuers: [{ issuer: "${issuer.issuer}" }]`)
  await gateway.listen({ port: 0, host: '127.0.0.1' })
  while (issuer.requests.get('/jwks') === undefined) await new Promise((resolve) => setImmediate(resolve))
  await gateway.stop()
  await issuer.stop()
})

test('a store that does not answer makes the gateway not ready, yet alive', async () => {
  const { log, lines } = recordingLog()
  const store = await openStore('sqlite::memory:', { log })
  const gateway = createGateway({ config: parseConfig('', { file: 'postern.yaml', env: {} }), store, log })
  await store.close()
  const ready = await gateway.inject('/readyz')
  assert.deepEqual(
    [ready.statusCode, ready.json()],
    [503, { status: 'not ready', checks: { store: 'failed' } }],
  )
  assert.equal((await gateway.inject('/healthz')).statusCode, 200)
  assert.equal(lines.filter(({ msg }) => msg === 'not ready').length, 1)
})

test('hosts and origins come from the configuration', async () => {
  const { gateway } = await gatewayWith(`
    server:
      host: 0.0.0.0
      publicUrl: https://gate.example
      allowedHosts: [inside.example]
      allowedOrigins: [https://app.example]`)
  const origin = 'https://app.example'
  assert.equal(await statusFor(gateway, { host: 'gate.example' }), 404)
  assert.equal(await statusFor(gateway, { host: 'inside.example', origin }), 404)
  assert.equal(await statusFor(gateway, { host: 'localhost' }), 421)
  assert.equal(await statusFor(gateway, { host: 'gate.example', origin: 'https://evil.example' }), 403)
})

test('stopping closes the store', async () => {
  const { log } = recordingLog()
  const store = await openStore('sqlite::memory:', { log })
  const gateway = createGateway({ config: parseConfig('', { file: 'postern.yaml', env: {} }), store, log })
  await gateway.stop()
  await assert.rejects(() => store.ping())
})

test('a reload swaps hosts, origins and log level from the next request on, and names them', async () => {
  const { gateway, lines, reload } = await gatewayWith('log: { level: info }')
  assert.equal(await statusFor(gateway, { host: 'new.example' }), 421)
  const changed = reload(`
    server: { allowedHosts: [new.example], allowedOrigins: [https://app.example] }
    log: { level: debug }`)
  assert.deepEqual(changed.toSorted(), ['log.level', 'server.allowedHosts', 'server.allowedOrigins'])
  assert.equal(await statusFor(gateway, { host: 'new.example', origin: 'https://app.example' }), 404)
  assert.equal(lines.at(-1)?.msg, 'request')
})

test('a reload leaves aside what only the authority reads', async () => {
  const { reload } = await gatewayWith()
  assert.deepEqual(reload('authority: { accessTokenSeconds: 120 }'), [])
})

test('a reload with any change that takes a restart changes nothing and names the keys', async () => {
  const { gateway, reload } = await gatewayWith()
  const next = `
    server: { port: 9999, shutdownSeconds: 5, allowedHosts: [new.example] }
    store: sqlite:./other.db
    models: [{ name: tiny, engine: story }]`
  assert.throws(
    () => reload(next),
    /server\.port, server\.shutdownSeconds, server\.publicUrl, store, models: a change here takes a restart/,
  )
  assert.equal(await statusFor(gateway, { host: 'new.example' }), 421)
})

test('what was refused once is compared with what is in force, not with what was refused', async () => {
  const { reload } = await gatewayWith()
  assert.throws(() => reload('server: { port: 9999 }'))
  assert.throws(() => reload('server: { port: 9999 }'))
  assert.deepEqual(reload(''), [])
})

test('settings that are not served yet are named in one warning', async () => {
  const { lines } = await gatewayWith(`
    server: { opsPort: 9100, workers: auto }`)
  assert.equal(lines.length, 1)
  assert.equal(lines[0]?.level, 'warn')
  assert.deepEqual(lines[0]?.settings, ['server.opsPort', 'server.workers'])
})

test('with nothing but served settings there is no warning', async () => {
  const { lines } = await gatewayWith('server: { port: 9000, workers: 1, bodyLimitBytes: 2048 }')
  assert.deepEqual(lines, [])
})

test('a room for bodies that is too small for the largest is raised, and the log says to what', async () => {
  const { lines } = await gatewayWith('server: { bodyLimitBytes: 1048576, bodyBudgetBytes: 2097151 }')
  assert.deepEqual(
    lines.map(({ level, msg }) => [level, msg]),
    [
      [
        'warn',
        'server.bodyBudgetBytes is 2097151, but 2097152 bytes of bodies may be held: twice the largest body',
      ],
    ],
  )
  const enough = await gatewayWith('server: { bodyLimitBytes: 1048576, bodyBudgetBytes: 2097152 }')
  assert.deepEqual(enough.lines, [])
})
