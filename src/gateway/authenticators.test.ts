import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { type LocalIssuer, startLocalIssuer } from '../../test/auth/local-issuer.ts'
import { type Engine, forEachEngine } from '../../test/store/engines.ts'
import type { Decision } from '../auth/decision.ts'
import { parseConfig } from '../config/parse-config.ts'
import { Failure } from '../failure/failure.ts'
import { createLog } from '../log/log.ts'
import { openStore } from '../store/open-store.ts'
import { createGateway, type Gateway, type GatewayOptions } from './gateway.ts'
import { openModelSurface } from './model-surface.ts'

const surfaces = {
  mcp: { method: 'POST', url: '/mcp' },
  v1beta: { method: 'GET', url: '/v1beta/models' },
  api: { method: 'GET', url: '/api/v1/keys' },
} as const
type Surface = keyof typeof surfaces
const names: readonly Surface[] = ['mcp', 'v1beta', 'api']

async function startInstance(
  issuer: LocalIssuer,
  url: string,
  more: Partial<GatewayOptions> = {},
): Promise<Gateway> {
  const log = createLog({ level: 'silent' })
  const models = [{ name: 'house', engine: 'openai', baseUrl: 'http://127.0.0.1:1/v1', model: 'x' }]
  const settings = { issuers: [{ issuer: issuer.issuer }], models, store: url }
  const config = parseConfig(JSON.stringify(settings), { file: 'test', env: {} })
  const store = await openStore(url, { log })
  const modelSurface = openModelSurface({ config, store, log, directory: '.' })
  return createGateway({ config, store, log, modelSurface, ...more })
}

function tokenFor(issuer: LocalIssuer, ...audiences: readonly Surface[]): string {
  const scope = 'https://www.googleapis.com/auth/generative-language keys:read'
  return issuer.token({ aud: audiences.map((name) => `http://127.0.0.1:8080/${name}`), scope })
}

async function statusOf(gateway: Gateway, surface: Surface, token: string): Promise<number> {
  const headers = {
    host: '127.0.0.1:8080',
    authorization: `Bearer ${token}`,
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
  }
  const payload = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
  const { statusCode } = await gateway.inject({
    ...surfaces[surface],
    headers,
    ...(surface === 'mcp' && { payload }),
  })
  return statusCode
}

const statusesOf = (gateway: Gateway, token: string): Promise<readonly number[]> =>
  Promise.all(names.map((name) => statusOf(gateway, name, token)))

test('the keys of an issuer are read once for all surfaces, and a token is good for those it names', async () => {
  const issuer = await startLocalIssuer({ audience: 'nobody' })
  const gateway = await startInstance(issuer, 'sqlite::memory:')
  assert.deepEqual(await statusesOf(gateway, tokenFor(issuer, 'mcp', 'v1beta', 'api')), [200, 200, 200])
  assert.equal((await gateway.inject('/readyz')).statusCode, 200)
  assert.equal(issuer.requests.get('/jwks'), 1)
  for (const [index, name] of names.entries()) {
    const expected = names.map((_, at) => (at === index ? 200 : 401))
    assert.deepEqual(await statusesOf(gateway, tokenFor(issuer, name)), expected)
  }
  await gateway.stop()
  await issuer.stop()
})

test('every surface asks whether a caller may call now, and tells what it decided', async () => {
  const issuer = await startLocalIssuer({ audience: 'nobody' })
  const decisions: Decision[] = []
  const tooMany = (): never => {
    throw new Failure('limit-exceeded', 'too many calls', { reason: 'quota', retryAfterSeconds: 7 })
  }
  const gateway = await startInstance(issuer, 'sqlite::memory:', {
    admission: { request: tooMany, target: tooMany },
    onDecision: (decision): undefined => void decisions.push(decision),
  })
  assert.deepEqual(await statusesOf(gateway, tokenFor(issuer, 'mcp', 'v1beta', 'api')), [429, 429, 429])
  assert.deepEqual(
    new Set(decisions.map(({ surface, outcome }) => `${surface} ${outcome}`)),
    new Set(['tools deny', 'models deny', 'api deny']),
  )
  await gateway.stop()
  await issuer.stop()
})

forEachEngine((engine: Engine) => {
  test('a token that was revoked is refused by every surface of every instance within a second', async () => {
    const issuer = await startLocalIssuer({ audience: 'nobody' })
    await using database = await engine.create()
    const ids = new Set<string>()
    const onDecision = ({ principal }: Decision): undefined => void ids.add(principal?.credential.id ?? '')
    const instances = [
      await startInstance(issuer, database.url, { onDecision }),
      await startInstance(issuer, database.url),
    ]
    const [revoked, other] = [tokenFor(issuer, ...names), tokenFor(issuer, ...names)]
    for (const gateway of instances) assert.deepEqual(await statusesOf(gateway, revoked), [200, 200, 200])
    const [id, ...none] = ids
    assert.deepEqual(none, [])
    const store = await openStore(database.url, { log: createLog({ level: 'silent' }) })
    const row = { credential: `jwt:${id}`, revoked_at: Date.now() * 1000, expires_at: null }
    await store.db.insertInto('revoked_credentials').values(row).execute()
    const start = performance.now()
    for (const gateway of instances) while ((await statusOf(gateway, 'mcp', revoked)) !== 401) await turn()
    const took = performance.now() - start
    assert.ok(took < 1000, `${took} ms`)
    for (const gateway of instances) {
      assert.deepEqual(await statusesOf(gateway, revoked), [401, 401, 401])
      assert.deepEqual(await statusesOf(gateway, other), [200, 200, 200])
    }
    await Promise.all([...instances.map((gateway) => gateway.stop()), store.close(), issuer.stop()])
  })
})
