import { createHash } from 'node:crypto'
import type { CredentialsFile } from '../../src/store/service-account-file.ts'
import { createLocalKey, type LocalKey } from '../auth/local-key.ts'
import { seconds, signWith } from '../authority/machine-requests.ts'
import type { SecretHouse } from './secret-search-house.ts'
import { noteSecret, noteSecretsIn } from './secret-search-notes.ts'
import { made } from './secret-search-settings.ts'

export type Fields = Readonly<Record<string, string>>

export const modelScope = 'https://www.googleapis.com/auth/generative-language'
export const adminScopes =
  'sessions:read sessions:write events:read keys:read keys:write service-accounts:read service-accounts:write usage:read'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** An empty object when it is no JSON. */
  readonly body: Readonly<Record<string, unknown>>
}

export interface Sent {
  readonly method?: string
  readonly headers?: Fields
  readonly body?: unknown
}

/** To any path of the gateway; what an answer shows once is noted. */
export async function send(
  { url }: Pick<SecretHouse, 'url'>,
  path: string,
  { method, headers = {}, body }: Sent = {},
): Promise<Answer> {
  const response = await fetch(new URL(path, url), {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      accept: 'application/json, text/event-stream',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  const answer = text.startsWith('{') ? JSON.parse(text) : {}
  noteSecretsIn(answer)
  return { status: response.status, headers: response.headers, text, body: answer }
}

export function bearer(token: unknown): Fields {
  return { authorization: `Bearer ${String(token)}` }
}

export function toolCall(name: string): object {
  const input = name === 'echo' ? { text: 'hello' } : {}
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } }
}

export const prompt = { contents: [{ role: 'user', parts: [{ text: 'hello' }] }] } as const

/** The statuses of a call with this credential on the tool server, the model API and the administration API. */
export async function everywhere(house: SecretHouse, headers: Fields): Promise<readonly number[]> {
  const answers = [
    await send(house, '/mcp', { headers, body: toolCall('echo') }),
    await send(house, '/v1beta/models/g:generateContent', { headers, body: prompt }),
    await send(house, '/api/v1/sessions?limit=1', { headers }),
  ]
  return answers.map(({ status }) => status)
}

/** A token that a service account signed for itself. */
export function selfSigned(file: CredentialsFile, changes: Readonly<Record<string, unknown>> = {}): string {
  const iat = seconds()
  const claims = { iss: file.client_email, sub: file.client_email, scope: modelScope, iat, exp: iat + 600 }
  return signWith(file, { ...claims, ...changes }, { alg: 'RS256', kid: file.private_key_id })
}

/** A token that is bound to a key, and proofs with that key. */
export function boundToken(
  house: SecretHouse,
  claims: Readonly<Record<string, unknown>>,
): { readonly token: string; readonly prove: (path: string, method: string) => Fields } {
  const key = createLocalKey()
  const token = house.issuer.token({ ...claims, cnf: { jkt: thumbprint(key) } })
  return {
    token,
    prove: (path, method) => ({
      authorization: `DPoP ${token}`,
      dpop: proof(key, { url: house.url + path, method, token }),
    }),
  }
}

export interface Proven {
  readonly url: string
  readonly method: string
  readonly token?: string
}

export function proof(key: LocalKey, { url, method, token }: Proven): string {
  const header = { typ: 'dpop+jwt', alg: key.algorithm, jwk: key.bareJwk }
  const claims = { jti: crypto.randomUUID(), htm: method, htu: url, iat: seconds() }
  const ath = token === undefined ? {} : { ath: createHash('sha256').update(token).digest('base64url') }
  return key.token(header, { ...claims, ...ath })
}

/** RFC 7638. */
function thumbprint({ bareJwk }: LocalKey): string {
  const { crv, kty, x, y } = bareJwk
  return createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url')
}

/** A key or token in every place where somebody may put it by mistake. */
export async function misplace(house: SecretHouse, secret: string, good: Fields): Promise<void> {
  const inQuery = new URLSearchParams({ access_token: secret, key: secret, token: secret }).toString()
  const calls: readonly (readonly [path: string, sent: Sent])[] = [
    [`/mcp?${inQuery}`, { body: toolCall('echo') }],
    [`/v1beta/models/g:generateContent?${inQuery}&pageToken=${secret}`, { body: prompt }],
    [`/api/v1/keys?cursor=${secret}`, { headers: good }],
    [`/api/v1/keys/${secret}`, { headers: good }],
    [`/api/v1/sessions/${secret}`, { method: 'DELETE', headers: good }],
    [`/api/v1/events?principal=${secret}`, { headers: good }],
    [`/v1beta/models/${secret}:generateContent`, { headers: good, body: prompt }],
    [`/v1beta/models/g:${secret}`, { headers: good, body: prompt }],
    [`/nowhere/${secret}?x=${secret}`, {}],
    ['/mcp', { headers: good, body: toolCall(secret) }],
    [
      '/mcp',
      { headers: good, body: { jsonrpc: '2.0', id: secret, method: secret, params: { [secret]: secret } } },
    ],
    ['/mcp', { headers: { ...good, 'mcp-protocol-version': secret }, body: toolCall('echo') }],
    ['/mcp', { headers: good, body: `{"${secret}` }],
    ['/v1beta/models/g:generateContent', { headers: good, body: { [secret]: secret } }],
    ['/api/v1/keys', { headers: good, body: { [secret]: secret } }],
    ['/api/v1/keys', { headers: good, body: { name: 'x', scopes: [secret], expires_at: secret } }],
    ['/mcp', { headers: { authorization: `Basic ${btoa(`user:${secret}`)}` }, body: toolCall('echo') }],
    ['/mcp', { headers: { authorization: secret, cookie: `token=${secret}` }, body: toolCall('echo') }],
    [
      '/mcp',
      {
        headers: { ...good, 'user-agent': secret, referer: `http://x/?t=${secret}` },
        body: toolCall('echo'),
      },
    ],
    ['/mcp', { headers: { ...good, 'x-request-id': secret.slice(0, 64) }, body: toolCall('echo') }],
    [
      '/mcp',
      { headers: { ...good, origin: `https://${secret.toLowerCase()}.example` }, body: toolCall('echo') },
    ],
  ]
  for (const [path, sent] of calls) await send(house, path, sent)
}

/** Looks like a key of ours, and is none. */
export function inventedKey(): string {
  const key = `postern_${made('a key that nobody made')}`
  noteSecret('a key that nobody made', key)
  return key
}
