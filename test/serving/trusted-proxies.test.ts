import assert from 'node:assert/strict'
import { type IncomingMessage, request } from 'node:http'
import { test } from 'node:test'
import { type Forwarding, startForwardingProxy } from './forwarding-proxy.ts'
import { type ListeningGateway, startListeningGateway } from './listening-gateway.ts'

/** Only Linux has the whole of 127.0.0.0/8 without being told. */
const onLinux = { skip: process.platform !== 'linux' && 'a machine with several addresses of loopback' }
const [proxyAddress, callerAddress] = ['127.0.0.2', '127.0.0.3'] as const

interface Call {
  readonly port: number
  readonly key: string
  /** By turns name and value. */
  readonly lines?: readonly string[]
}

interface Answer {
  readonly status: number | undefined
  readonly error: Readonly<Record<string, unknown>>
}

/** Lists the models from the address of the caller. */
function call({ port, key, lines = [] }: Call): Promise<Answer> {
  const headers = ['Host', '127.0.0.1:8080', 'x-goog-api-key', key, ...lines]
  const options = {
    host: '127.0.0.1',
    port,
    localAddress: callerAddress,
    path: '/v1beta/models',
    agent: false,
  }
  return new Promise((resolve, reject) => {
    request({ ...options, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      response.on('end', () =>
        resolve({ status: response.statusCode, error: Object(JSON.parse(text).error) }),
      )
    })
      .on('error', reject)
      .end()
  })
}

/** As HAProxy does it: a line of its own behind those of the caller. */
function ownLine({ socket }: IncomingMessage): readonly string[] {
  return ['X-Forwarded-For', socket.remoteAddress ?? '']
}

function proxyBefore(
  { port }: ListeningGateway,
  adds: Forwarding['adds'],
): ReturnType<typeof startForwardingProxy> {
  return startForwardingProxy({ to: port, localAddress: proxyAddress, adds })
}

test('behind a proxy that is named a key is held to the network of its caller', onLinux, async () => {
  await using gateway = await startListeningGateway({ trustedProxies: [proxyAddress] })
  await using proxy = await proxyBefore(gateway, ownLine)
  const { port } = proxy
  assert.equal((await call({ port, key: await gateway.key({ addresses: [callerAddress] }) })).status, 200)
  const ofProxy = await gateway.key({ addresses: [proxyAddress, '10.0.0.0/8', '::1'] })
  for (const lines of [
    [],
    ['X-Forwarded-For', proxyAddress],
    ['X-Forwarded-For', '10.0.0.1'],
    ['x-forwarded-for', '10.0.0.1, 10.0.0.1', 'X-FORWARDED-FOR', '::1'],
    ['X-Forwarded-For', ''],
    ['X-Forwarded-For', `${proxyAddress},`],
    ['Forwarded', 'for=10.0.0.1', 'X-Real-IP', '10.0.0.1', 'Via', '1.1 10.0.0.1'],
  ]) {
    const { status, error } = await call({ port, key: ofProxy, lines })
    assert.deepEqual([status, error.status], [403, 'PERMISSION_DENIED'], lines.join())
    assert.match(String(error.message), /\(127\.0\.0\.3\) violates this restriction/)
  }
  assert.deepEqual(
    new Set(gateway.decisions.map(({ outcome, reason }) => `${outcome} ${reason}`)),
    new Set(['allow ok', 'deny api_key_address_blocked']),
  )
})

const lacking = [
  ['adds X-Forwarded-For', ownLine],
  ['adds Forwarded', () => ['Forwarded', `for=${callerAddress}`]],
  ['adds Via', () => ['Via', '1.1 edge']],
] as const

for (const trustedProxies of [[], ['127.0.0.1', '10.0.0.0/8']])
  for (const [what, adds] of lacking)
    test(
      `with ${trustedProxies.length} others trusted, a proxy that ${what} and is not named opens no key`,
      onLinux,
      async () => {
        await using gateway = await startListeningGateway({ trustedProxies })
        await using proxy = await proxyBefore(gateway, adds)
        const { port } = proxy
        for (const addresses of [['127.0.0.0/8'], [proxyAddress], [callerAddress]]) {
          const { status, error } = await call({ port, key: await gateway.key({ addresses }) })
          assert.equal(status, 403)
          assert.deepEqual([error.code, error.status], [403, 'PERMISSION_DENIED'])
          assert.match(String(error.message), /behind a proxy that server\.trustedProxies does not name/)
        }
        assert.equal((await call({ port, key: await gateway.key({}) })).status, 200)
      },
    )

for (const [what, adds] of [
  ['names nobody', () => []],
  ['names its caller in another header', () => ['Forwarded', `for=${callerAddress}`]],
  ['names itself', () => ['X-Forwarded-For', proxyAddress]],
  ['hides its caller', () => ['X-Forwarded-For', 'unknown']],
] as const)
  test(`a proxy that is named and ${what} opens no key`, onLinux, async () => {
    await using gateway = await startListeningGateway({ trustedProxies: ['127.0.0.2/32'] })
    await using proxy = await proxyBefore(gateway, adds)
    const key = await gateway.key({ addresses: ['127.0.0.0/8'] })
    const { status, error } = await call({ port: proxy.port, key })
    assert.equal(status, 403)
    assert.match(String(error.message), /X-Forwarded-For must name an address/)
  })

test('through two proxies that are named the caller is seen behind both', onLinux, async () => {
  await using gateway = await startListeningGateway({ trustedProxies: [proxyAddress, '127.0.0.4'] })
  await using inner = await proxyBefore(gateway, ownLine)
  await using outer = await startForwardingProxy({ to: inner.port, localAddress: '127.0.0.4', adds: ownLine })
  const key = await gateway.key({ addresses: [callerAddress] })
  assert.equal((await call({ port: outer.port, key })).status, 200)
  const ofOuter = await gateway.key({ addresses: ['127.0.0.4'] })
  assert.equal((await call({ port: outer.port, key: ofOuter })).status, 403)
})

test(
  'without a proxy the address of the connection counts, and a claim of another opens nothing',
  onLinux,
  async () => {
    await using gateway = await startListeningGateway({ trustedProxies: [proxyAddress] })
    const { port } = gateway
    const key = await gateway.key({ addresses: [callerAddress] })
    assert.equal((await call({ port, key })).status, 200)
    const elsewhere = await gateway.key({ addresses: ['10.0.0.0/8'] })
    assert.equal((await call({ port, key: elsewhere })).status, 403)
    assert.equal((await call({ port, key: elsewhere, lines: ['X-Forwarded-For', '10.0.0.1'] })).status, 403)
  },
)
