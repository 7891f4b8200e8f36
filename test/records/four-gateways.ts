import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { CredentialsFile } from '../../src/store/service-account-file.ts'
import { type LocalIssuer, startLocalIssuer } from '../auth/local-issuer.ts'
import { plainAnswer } from '../engines/wire-upstream-server.ts'
import { type RedisServer, startRedis } from '../redis-server.ts'
import { portOf } from '../serving/raw-connection.ts'
import { freshFolder, portOfUrl, spawnPostern } from '../serving/spawn-postern.ts'
import { postgres } from '../store/engines.ts'

export type Surface = 'mcp' | 'v1beta' | 'api'

/** What goes with a request: a bearer token or an API key. */
export type Headers = Readonly<Record<string, string>>

export interface Answer {
  readonly status: number
  readonly retryAfter: string | null
  readonly body: unknown
}

/** One of four. */
export interface Instance {
  readonly url: string
  readonly whenSharedFails: 'allow' | 'refuse'
  /** One call on a surface: of a tool or a model that has a limit of its own or not, or for the caller's own usage. */
  readonly call: (surface: Surface, headers: Headers, has?: 'limit' | 'none') => Promise<Answer>
  readonly api: (method: string, path: string, body?: object) => Promise<Answer>
}

export interface FourGateways extends AsyncDisposable {
  readonly instances: readonly Instance[]
  readonly redis: RedisServer
  /** A token that every surface takes, of this person. */
  readonly bearer: (subject: string) => Headers
  readonly makeKey: (name: string) => Promise<Headers>
  readonly makeAccount: (name: string) => Promise<CredentialsFile>
}

export const limit = { tool: 40, model: 30, principal: 200 } as const
export const surfaces = ['mcp', 'v1beta', 'api'] as const
const publicUrl = 'https://gate.example'
const modelScope = 'https://www.googleapis.com/auth/generative-language'

/** Four processes of `postern serve` as four machines would run them: one Postgres, one Redis, folders of their own. */
export async function startFourGateways(): Promise<FourGateways> {
  await using stack = new AsyncDisposableStack()
  const [database, redis] = await Promise.all([postgres.create(), startRedis()])
  stack.use(database)
  stack.defer(redis.stop)
  const issuer = await startLocalIssuer({ audience: `${publicUrl}/mcp` })
  stack.defer(issuer.stop)
  const upstream = await startUpstreamModel(stack)
  const settings = { store: database.url, shared: redis.url, issuer: issuer.issuer, upstream }
  const admin = bearerOf(issuer, 'root', 'sessions:read sessions:write keys:write service-accounts:write')
  const instances = await Promise.all(
    (['refuse', 'refuse', 'allow', 'allow'] as const).map(async (whenSharedFails): Promise<Instance> => {
      const folder = stack.use(await freshFolder())
      await folder.write('postern.yaml', JSON.stringify(configuration({ ...settings, whenSharedFails })))
      const postern = stack.use(spawnPostern(['serve'], { cwd: folder.path }))
      const url = `http://127.0.0.1:${portOfUrl(await postern.logs('ready'))}`
      return {
        url,
        whenSharedFails,
        call: (surface, headers, has = 'none') => calls[surface](url, headers, has),
        api: (method, path, body) => send(`${url}/api/v1${path}`, { method, headers: admin, body }),
      }
    }),
  )
  const running = stack.move()
  return {
    instances,
    redis,
    bearer: (subject) => bearerOf(issuer, subject, `own:read ${modelScope}`),
    makeKey: async (name) => {
      const { status, body } = await firstOf(instances).api('POST', '/keys', { name })
      assert.equal(status, 201)
      return { 'x-goog-api-key': String(Object(body).key) }
    },
    makeAccount: async (name) => {
      const order = { name, scopes: [modelScope] }
      const { status, body } = await firstOf(instances).api('POST', '/service-accounts', order)
      assert.equal(status, 201)
      return Object(body).credentials
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

export function firstOf<Item>(list: readonly Item[]): Item {
  const [item] = list
  assert.ok(item !== undefined)
  return item
}

interface Settings {
  readonly store: string
  readonly shared: string
  readonly issuer: string
  readonly upstream: string
  readonly whenSharedFails: Instance['whenSharedFails']
}

function configuration({ issuer, upstream, whenSharedFails, ...rest }: Settings): object {
  return {
    ...rest,
    server: { port: 0, opsPort: 0, publicUrl },
    issuers: [{ issuer }],
    tools: { sources: [{ kind: 'builtin' }], concurrencyPerPrincipal: 1000 },
    models: Object.values(names.v1beta).map((name) => ({ ...model, name, baseUrl: upstream })),
    limits: {
      perPrincipalPerMinute: limit.principal,
      tools: { [names.mcp.limit]: limit.tool },
      models: { [names.v1beta.limit]: limit.model },
      whenSharedFails,
    },
    audit: { spool: './spool' },
  }
}

const names = { mcp: { limit: 'echo', none: 'time' }, v1beta: { limit: 'rare', none: 'plenty' } } as const
const model = { engine: 'gemini', apiKey: 'the key for the upstream' } as const

function bearerOf(issuer: LocalIssuer, sub: string, scope: string): Headers {
  const aud = surfaces.map((surface) => `${publicUrl}/${surface}`)
  return { authorization: `Bearer ${issuer.token({ sub, scope, aud })}` }
}

/** A model that answers at once. */
async function startUpstreamModel(stack: AsyncDisposableStack): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(plainAnswer)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  stack.defer(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${portOf(server)}`
}

type Caller = (url: string, headers: Headers, has: 'limit' | 'none') => Promise<Answer>

const calls: Readonly<Record<Surface, Caller>> = {
  mcp: (url, headers, has) => {
    const params = { name: names.mcp[has], arguments: has === 'limit' ? { text: 'hello' } : {} }
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
    const more = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' }
    return send(`${url}/mcp`, { method: 'POST', headers: { ...headers, ...more }, body })
  },
  v1beta: (url, headers, has) => {
    const body = { contents: [{ parts: [{ text: 'hello' }] }] }
    const path = `/v1beta/models/${names.v1beta[has]}:generateContent`
    return send(url + path, { method: 'POST', headers, body })
  },
  api: (url, headers) => send(`${url}/api/v1/usage`, { method: 'GET', headers }),
}

interface Sent {
  readonly method: string
  readonly headers: Headers
  readonly body?: object | undefined
}

async function send(url: string, { method, headers, body }: Sent): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return {
    status: response.status,
    retryAfter: response.headers.get('retry-after'),
    body: text === '' ? undefined : JSON.parse(text),
  }
}
