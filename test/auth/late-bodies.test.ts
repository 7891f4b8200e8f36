import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { calculateJwkThumbprint } from 'jose'
import type { Decision } from '../../src/auth/decision.ts'
import { parseConfig } from '../../src/config/parse-config.ts'
import { createGateway, type Gateway } from '../../src/gateway/gateway.ts'
import { openModelSurface } from '../../src/gateway/model-surface.ts'
import { listen } from '../../src/http/listen.ts'
import { createLog } from '../../src/log/log.ts'
import { type ApiKeys, createApiKeys } from '../../src/store/api-keys.ts'
import { microsecondClock } from '../../src/store/clock.ts'
import { openStore } from '../../src/store/open-store.ts'
import type { Store } from '../../src/store/store.ts'
import { portOf, type RawConnection, rawConnection } from '../serving/raw-connection.ts'
import { type LocalIssuer, startLocalIssuer } from './local-issuer.ts'
import { createLocalKey } from './local-key.ts'

interface Setting {
  readonly gateway: Gateway
  readonly store: Store
  readonly apiKeys: ApiKeys
  readonly issuer: LocalIssuer
  readonly decisions: Decision[]
}

const publicUrl = 'https://gate.example'

/** The whole gateway with a model that answers nobody. */
async function start(t: TestContext): Promise<Setting> {
  const issuer = await startLocalIssuer({ audience: 'nobody' })
  const log = createLog({ level: 'silent' })
  const models = [{ name: 'house', engine: 'openai', baseUrl: 'http://127.0.0.1:1/v1', model: 'x' }]
  const settings = {
    server: { host: '127.0.0.1', port: 0, publicUrl },
    issuers: [{ issuer: issuer.issuer }],
    models,
  }
  const config = parseConfig(JSON.stringify(settings), { file: 'test', env: {} })
  const store = await openStore('sqlite::memory:', { log })
  const decisions: Decision[] = []
  const gateway = createGateway({
    config,
    store,
    log,
    modelSurface: openModelSurface({ config, store, log, directory: '.' }),
    onDecision: (decision): undefined => void decisions.push(decision),
  })
  await listen(gateway, config.server)
  t.after(async () => {
    gateway.server.closeAllConnections()
    await Promise.all([gateway.stop(), issuer.stop()])
  })
  return { gateway, store, issuer, decisions, apiKeys: createApiKeys(store, microsecondClock()) }
}

interface Call {
  readonly url: string
  readonly body: string
}

const ping: Call = { url: '/mcp', body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' }
const generate: Call = {
  url: '/v1beta/models/house:generateContent',
  body: '{"contents":[{"parts":[{"text":"hi"}]}]}',
}
const makeFile: Call = { url: '/v1beta/files', body: '{"file":{}}' }
const startUpload: Call = { url: '/upload/v1beta/files', body: '{"file":{}}' }
const makeKey: Call = { url: '/api/v1/keys', body: '{"name":"late"}' }

const calls: readonly Call[] = [
  ping,
  generate,
  makeFile,
  makeKey,
  startUpload,
  { url: '/v1beta/cachedContents', body: '{"model":"models/house","contents":[]}' },
  { url: '/upload/v1beta/files?uploadType=media', body: 'bytes' },
]

type Headers = Readonly<Record<string, string>>

function headersOf({ url }: Call, credential: Headers): Headers {
  return {
    host: 'gate.example',
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    ...(url === startUpload.url && {
      'x-goog-upload-protocol': 'resumable',
      'x-goog-upload-command': 'start',
    }),
    ...credential,
  }
}

function bearer(token: string): Headers {
  return { authorization: `Bearer ${token}` }
}

function tokenOf({ issuer }: Setting, claims: object = {}): string {
  return issuer.token({
    ...claims,
    aud: ['mcp', 'v1beta', 'api'].map((name) => `${publicUrl}/${name}`),
    scope: 'https://www.googleapis.com/auth/generative-language keys:write',
  })
}

interface Begun {
  readonly call: Call
  readonly connection: RawConnection
}

/** Sends the head, and comes back when the gate has let it in. */
async function begin({ gateway }: Setting, call: Call, credential: Headers): Promise<Begun> {
  const connection = await rawConnection(portOf(gateway.server))
  const headers = {
    ...headersOf(call, credential),
    'content-length': String(call.body.length),
    expect: '100-continue',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  connection.send(`POST ${call.url} HTTP/1.1\r\n${lines.join('')}\r\n`)
  await connection.until('HTTP/1.1 100 Continue\r\n\r\n')
  return { call, connection }
}

/** The status of the answer once the body is there too. */
async function finish({ call, connection }: Begun): Promise<number> {
  connection.send(call.body)
  const answer = await connection.until('x-request-id')
  connection.socket.destroy()
  return Number(/HTTP\/1\.1 (?!100)(\d{3})/.exec(answer)?.[1])
}

async function freshStatus({ gateway }: Setting, call: Call, credential: Headers): Promise<number> {
  const headers = headersOf(call, credential)
  return (await gateway.inject({ method: 'POST', url: call.url, headers, payload: call.body })).statusCode
}

/** Longer than who was let in is relied on. */
const laterMs = 600

test('what was begun with a token that was revoked before the body came is refused as a new call is', async (t) => {
  const setting = await start(t)
  const credential = bearer(tokenOf(setting))
  assert.equal(await freshStatus(setting, ping, credential), 200)
  const id = setting.decisions[0]?.principal?.credential.id
  const begun = await Promise.all(calls.map((call) => begin(setting, call, credential)))
  const row = { credential: `jwt:${id}`, revoked_at: Date.now() * 1000, expires_at: null }
  await setting.store.db.insertInto('revoked_credentials').values(row).execute()
  while ((await freshStatus(setting, ping, credential)) !== 401) await delay(20)
  await delay(laterMs)
  for (const one of begun) assert.equal(await finish(one), 401, one.call.url)
  assert.deepEqual(await setting.store.db.selectFrom('files').select('id').execute(), [])
  assert.deepEqual(await setting.store.db.selectFrom('api_keys').select('id').execute(), [])
})

test('what was begun with an API key that was revoked before the body came is refused as a new call is', async (t) => {
  const setting = await start(t)
  const { key, row } = await setting.apiKeys.create({ name: 'ci' })
  const credential = { 'x-goog-api-key': key }
  const own = calls.filter(({ url }) => url !== ping.url && url !== makeKey.url)
  const begun = await Promise.all(own.map((call) => begin(setting, call, credential)))
  await setting.apiKeys.revoke(row.id)
  while ((await freshStatus(setting, makeFile, credential)) !== 400) await delay(20)
  await delay(laterMs)
  const before = setting.decisions.length
  for (const one of begun) assert.equal(await finish(one), 400, one.call.url)
  const reasons = setting.decisions.slice(before).map(({ reason }) => reason)
  assert.deepEqual(new Set(reasons), new Set(['api_key_revoked']))
})

test('what was begun with a credential that still stands is served however late its body comes', async (t) => {
  const setting = await start(t)
  const credential = bearer(tokenOf(setting))
  const begun = await Promise.all(
    [ping, makeFile, startUpload, makeKey].map((call) => begin(setting, call, credential)),
  )
  await delay(laterMs)
  assert.deepEqual(await Promise.all(begun.map(finish)), [200, 200, 200, 201])
})

test('a token bound to a key is looked at again without its proof, which still is good only once', async (t) => {
  const setting = await start(t)
  const client = createLocalKey()
  const jkt = await calculateJwkThumbprint(client.bareJwk)
  const token = tokenOf(setting, { cnf: { jkt } })
  for (const call of [ping, makeFile]) {
    const claims = {
      jti: crypto.randomUUID(),
      htm: 'POST',
      htu: `${publicUrl}${call.url}`,
      iat: Math.floor(Date.now() / 1000),
      ath: hash('sha256', token, 'base64url'),
    }
    const dpop = client.token({ typ: 'dpop+jwt', alg: client.algorithm, jwk: client.bareJwk }, claims)
    const credential = { authorization: `DPoP ${token}`, dpop }
    const begun = await begin(setting, call, credential)
    await delay(laterMs)
    assert.equal(await finish(begun), 200)
    assert.equal(await freshStatus(setting, call, credential), 401)
  }
})
