import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'

export interface Received {
  readonly line: string
  readonly body: unknown
  readonly headers: IncomingMessage['headers']
}

export interface StandIn extends AsyncDisposable {
  readonly url: string
  readonly received: Received[]
}

/** Undefined for an answer without a body. */
type Answer = (received: Received, response: ServerResponse) => object | undefined | 'written'

/** A server that speaks the wire of `/api/v1` as it is written down: what `answer` gives is sent. */
export async function standIn(answer: Answer): Promise<StandIn> {
  const received: Received[] = []
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const content = await text(request)
    const one = {
      line: `${request.method} ${request.url}`,
      body: content === '' ? undefined : JSON.parse(content),
      headers: request.headers,
    }
    received.push(one)
    const body = answer(one, response)
    if (body === 'written') return
    if (body === undefined) response.writeHead(204).end()
    else response.setHeader('content-type', 'application/json').end(JSON.stringify(body))
  }
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port to be had')
  return {
    url: `http://127.0.0.1:${address.port}`,
    received,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** One of each, as the wire has it. */
export const session = {
  id: '01a1dee1-e776-7676-9e48-2b3587ea84fc',
  created_at: '2026-11-15T11:05:09.238404Z',
  last_seen_at: '2026-11-15T11:05:09.238404Z',
  state: 'active',
  surface: 'tools',
  principal: 'ada',
  issuer: 'https://issuer.example',
  client: null,
  credential: { kind: 'jwt', id: 'c1', expires_at: null },
  revision: '2026-07-28',
  calls: 45,
  denials: 0,
  tokens_in: 0,
  tokens_out: 0,
  revoked_at: null,
} as const

export const key = {
  id: '01a1dee1-e776-7676-9e48-2b3587ea84fc',
  name: 'nightly',
  principal: 'nightly',
  hint: 'fqn8',
  state: 'active',
  scopes: null,
  models: ['tiny'],
  addresses: null,
  created_at: '2026-11-15T11:05:09.238404Z',
  updated_at: '2026-11-15T11:05:09.238404Z',
  expires_at: null,
  revoked_at: null,
  last_used_at: null,
  replaced_by: null,
} as const

export const account = {
  id: '01a1dee1-e776-7676-9e48-2b3587ea84fc',
  email: 'robot@demo.iam.gate.example',
  name: 'robot',
  project: 'demo',
  state: 'active',
  scopes: ['https://www.googleapis.com/auth/cloud-platform'],
  created_at: '2026-11-15T11:05:09.238404Z',
  updated_at: '2026-11-15T11:05:09.238404Z',
  disabled_at: null,
} as const

export const credentials = {
  type: 'service_account',
  project_id: 'demo',
  private_key_id: '3f786850e387550fdab836ed7e6dc881de23001b',
  private_key: '-----BEGIN PRIVATE KEY-----',
  client_email: 'robot@demo.iam.gate.example',
  client_id: '1',
  token_uri: 'https://issuer.example/token',
  universe_domain: 'gate.example',
} as const

export const usage = {
  bucket: '2026-11-15T11:00:00.000000Z',
  surface: null,
  issuer: null,
  principal: null,
  target: null,
  calls: 45,
  denials: 1,
  tokens_in: 0,
  tokens_out: 0,
} as const

const time = '2026-11-15T11:05:09.238404Z'

export function event(seq: number): object {
  return {
    id: `event-${seq}`,
    seq,
    created_at: time,
    time,
    surface: 'tools',
    action: 'tools/call',
    target: 'echo',
    decision: 'allow',
    reason: 'ok',
    status: 200,
    duration_us: 812,
    principal: 'ada',
    issuer: 'https://issuer.example',
    client: null,
    credential: { kind: 'jwt', id: 'c1' },
    scopes_needed: ['demo:echo'],
    scopes_held: ['demo:echo'],
    tokens_in: null,
    tokens_out: null,
    count: null,
    request_id: 'r1',
    revision: '2026-07-28',
    hash: 'ab',
  }
}
