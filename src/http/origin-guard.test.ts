import assert from 'node:assert/strict'
import { test } from 'node:test'
import { open, plainServer } from '../../test/serving/plain-server.ts'
import { Failure } from '../failure/failure.ts'
import { createOriginGuard } from './origin-guard.ts'
import type { OriginSettings } from './origin-policy.ts'

const anyHost = { config: { access: { open: 'a test' }, anyHost: true } } as const

const local: OriginSettings = {
  listenHost: '127.0.0.1',
  publicUrl: 'http://127.0.0.1:8080',
  allowedHosts: [],
  allowedOrigins: [],
}
const exposed: OriginSettings = {
  listenHost: '0.0.0.0',
  publicUrl: 'https://Gate.example/base/',
  allowedHosts: ['inside.example', 'Pods.example:9000', 'tls.example:443', '[2001:db8::1]:8080'],
  allowedOrigins: ['https://app.example', 'http://Old.example:80'],
}

async function statusFor(
  settings: OriginSettings,
  headers: Record<string, string | string[]>,
  url = '/',
): Promise<number> {
  const { server } = plainServer(settings)
  server.get('/', open, () => 'in')
  server.get('/probe', anyHost, () => 'in')
  return (await server.inject({ url, headers })).statusCode
}

const hosts: readonly (readonly [OriginSettings, string, number])[] = [
  [local, '127.0.0.1:8080', 200],
  [local, '127.0.0.1', 200],
  [local, 'localhost', 200],
  [local, 'LOCALHOST:3000', 200],
  [local, 'localhost.:8080', 200],
  [local, '[::1]:8080', 200],
  [local, '[0:0::1]:8080', 200],
  [local, 'evil.example', 421],
  [local, 'localhost.evil.example:8080', 421],
  [local, '127.0.0.1.evil.example', 421],
  [local, 'evil-localhost', 421],
  [local, '127.0.0.2', 421],
  [local, '0.0.0.0:8080', 421],
  [local, '2130706433', 421],
  [local, 'localhost:8080@evil.example', 400],
  [local, 'evil.example@localhost', 400],
  [local, 'localhost:8080, evil.example', 400],
  [local, 'localhost:99999', 400],
  [local, 'localhost:', 400],
  [exposed, 'gate.example', 200],
  [exposed, 'GATE.EXAMPLE.', 200],
  [exposed, 'gate.example:443', 200],
  [exposed, 'gate.example:80', 421],
  [exposed, 'gate.example:8443', 421],
  [exposed, 'sub.gate.example', 421],
  [exposed, 'inside.example', 200],
  [exposed, 'inside.example:80', 200],
  [exposed, 'inside.example:443', 200],
  [exposed, 'inside.example:9000', 421],
  [exposed, 'pods.example:9000', 200],
  [exposed, 'pods.example', 421],
  [exposed, 'tls.example', 200],
  [exposed, 'tls.example:80', 421],
  [exposed, '[2001:DB8:0::1]:8080', 200],
  [exposed, '[2001:db8::2]:8080', 421],
  [exposed, 'localhost', 421],
  [exposed, '127.0.0.1:8080', 421],
]

for (const [settings, host, status] of hosts)
  test(`listening on ${settings.listenHost}, Host ${JSON.stringify(host)} is answered with ${status}`, async () => {
    assert.equal(await statusFor(settings, { host }), status)
  })

const origins: readonly (readonly [OriginSettings, string, string, number])[] = [
  [local, '127.0.0.1:8080', 'http://127.0.0.1:8080', 200],
  [local, 'localhost:8080', 'http://localhost:8080', 200],
  [local, 'LocalHost:8080', 'HTTP://localhost:8080', 200],
  [local, 'localhost', 'http://localhost', 200],
  [local, 'localhost:80', 'http://localhost', 200],
  [local, '[::1]:8080', 'http://[::1]:8080', 200],
  [local, 'localhost:8080', 'http://127.0.0.1:8080', 200],
  [local, 'localhost:8080', 'http://localhost:3000', 403],
  [local, 'localhost:8080', 'https://localhost:8080', 403],
  [local, 'localhost:8080', 'http://localhost:8080@evil.example', 403],
  [local, 'localhost:8080', 'http://evil.example', 403],
  [local, 'localhost:8080', 'http://localhost:8080/', 403],
  [local, 'localhost:8080', 'http://localhost:8080, http://evil.example', 403],
  [local, 'localhost:8080', 'null', 403],
  [local, 'localhost:8080', 'NULL', 403],
  [local, 'localhost:8080', '', 403],
  [exposed, 'gate.example', 'https://gate.example', 200],
  [exposed, 'gate.example', 'https://GATE.example:443', 200],
  [exposed, 'gate.example', 'https://gate.example.', 200],
  [exposed, 'gate.example', 'http://gate.example', 403],
  [exposed, 'gate.example', 'https://gate.example:8443', 403],
  [exposed, 'gate.example', 'https://gate.example.evil.example', 403],
  [exposed, 'gate.example', 'https://app.example', 200],
  [exposed, 'gate.example', 'http://app.example', 403],
  [exposed, 'gate.example', 'http://old.example', 200],
  [exposed, 'gate.example', 'vscode-webview://panel', 403],
  [exposed, 'inside.example', 'http://inside.example', 403],
  [exposed, 'gate.example', 'null', 403],
]

for (const [settings, host, origin, status] of origins)
  test(`at ${host}, Origin ${JSON.stringify(origin)} is answered with ${status}`, async () => {
    assert.equal(await statusFor(settings, { host, origin }), status)
  })

test('a second Host header is refused, even when it says the same', async () => {
  assert.equal(await statusFor(local, { host: ['localhost', 'localhost'] }), 400)
  assert.equal(await statusFor(local, { host: ['localhost', 'evil.example'] }, '/probe'), 400)
})

for (const [listenHost, status] of [
  ['LOCALHOST', 200],
  ['::1', 200],
  ['127.0.0.2', 200],
  ['127.evil.example', 421],
] as const)
  test(`listening on ${listenHost}, Host "localhost:8080" is answered with ${status}`, async () => {
    assert.equal(
      await statusFor(
        { ...exposed, listenHost, publicUrl: 'https://gate.example' },
        { host: 'localhost:8080' },
      ),
      status,
    )
  })

test('a probe may call by any address but not from a foreign page', async () => {
  assert.equal(await statusFor(exposed, { host: '10.1.2.3:8080' }, '/probe'), 200)
  assert.equal(
    await statusFor(exposed, { host: '10.1.2.3:8080', origin: 'http://evil.example' }, '/probe'),
    403,
  )
})

test('only the route that was matched decides whether any host will do', async () => {
  for (const url of ['/probe/', '/probe/..', '//probe', '/?/probe', '/%70robe/x'])
    assert.equal(await statusFor(exposed, { host: '10.1.2.3' }, url), 421, url)
})

test('a refused host learns which settings would admit it', async () => {
  const { server } = plainServer(exposed)
  const response = await server.inject({ url: '/', headers: { host: 'other.example' } })
  assert.match(response.json().detail, /other\.example.*server\.publicUrl.*server\.allowedHosts/)
})

test('a refused origin learns which setting would admit it', async () => {
  const { server } = plainServer(local)
  const response = await server.inject({ url: '/', headers: { origin: 'https://app.example' } })
  assert.match(response.json().detail, /server\.allowedOrigins/)
})

test('new settings count from the next request on', async () => {
  const guard = createOriginGuard(exposed)
  const { server } = plainServer({ guard })
  server.get('/', open, () => 'in')
  const ask = async (host: string): Promise<number> =>
    (await server.inject({ url: '/', headers: { host } })).statusCode
  assert.deepEqual([await ask('inside.example'), await ask('new.example')], [200, 421])
  guard.replace({ ...exposed, allowedHosts: ['new.example'] })
  assert.deepEqual([await ask('inside.example'), await ask('new.example')], [421, 200])
})

test('settings that name no host or origin are refused and change nothing', () => {
  const guard = createOriginGuard(local)
  const bad: readonly Partial<OriginSettings>[] = [
    { allowedHosts: ['https://gate.example'] },
    { allowedHosts: ['*'] },
    { allowedOrigins: ['null'] },
    { allowedOrigins: ['*'] },
    { allowedOrigins: ['https://app.example/path'] },
    { allowedOrigins: ['vscode-webview://panel'] },
  ]
  for (const change of bad)
    assert.throws(
      () => guard.replace({ ...local, ...change }),
      (error) => error instanceof Failure && error.code === 'misconfigured',
      JSON.stringify(change),
    )
})

test('a route for pages of every origin takes a foreign one, but no foreign host', async () => {
  const { server } = plainServer()
  server.get('/open', { config: { access: { open: 'a test' }, anyOrigin: true } }, () => 'in')
  const ask = async (headers: Record<string, string>): Promise<number> =>
    (await server.inject({ url: '/open', headers })).statusCode
  assert.equal(await ask({ origin: 'https://foreign.example' }), 200)
  assert.equal(await ask({ origin: 'null' }), 200)
  assert.equal(await ask({ host: 'foreign.example' }), 421)
})
