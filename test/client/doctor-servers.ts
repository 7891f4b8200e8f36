import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import { text } from 'node:stream/consumers'
import { exportJWK, generateKeyPair, type JWTPayload, jwtVerify, SignJWT } from 'jose'

/** An authorization server and a tool server, sound unless a test breaks one of them. */
export interface Patient extends AsyncDisposable {
  readonly issuer: string
  readonly resource: string
  /** Members that replace those of a document; undefined takes one out. */
  readonly issuerDocument: Record<string, unknown>
  readonly resourceDocument: Record<string, unknown>
  readonly keySet: { keys: unknown[] }
  /** Answers in place of the sound ones, by path. */
  readonly broken: Map<string, RequestListener>
  /** How far the clocks of the two are ahead, in milliseconds. */
  readonly ahead: { issuer: number; resource: number }
  /** What a call needs. */
  needs: readonly string[]
  /** What the tool server calls itself when it looks at tokens. */
  audience: string
  hasChallenge: boolean
  /** Whether it lets everybody say hello, or do everything. */
  greetsAll: boolean
  isOpen: boolean
  /** Whether it looks at a token that it gets. */
  verifies: boolean
  /** Every header `Authorization` that came, and the host and path that it came to. */
  readonly credentials: { readonly place: string; readonly value: string }[]
  readonly token: (claims?: JWTPayload) => Promise<string>
}

export async function startPatient(): Promise<Patient> {
  const [issuerHttp, resourceHttp] = [await listening(), await listening()]
  const [issuer, origin] = [addressOf(issuerHttp), addressOf(resourceHttp)]
  const resource = `${origin}/mcp`
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const patient: Patient = {
    issuer,
    resource,
    issuerDocument: {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      registration_endpoint: `${issuer}/register`,
      jwks_uri: `${issuer}/jwks`,
      code_challenge_methods_supported: ['S256'],
    },
    resourceDocument: { resource, authorization_servers: [issuer], scopes_supported: ['notes:read'] },
    keySet: { keys: [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256', use: 'sig' }] },
    broken: new Map(),
    ahead: { issuer: 0, resource: 0 },
    needs: ['notes:read'],
    audience: resource,
    hasChallenge: true,
    greetsAll: false,
    isOpen: false,
    verifies: true,
    credentials: [],
    token: (claims = {}) =>
      new SignJWT({ iss: issuer, aud: resource, scope: 'notes:read', ...claims })
        .setProtectedHeader({ alg: 'ES256', kid: 'one', typ: 'at+jwt' })
        .setIssuedAt(claims.iat ?? Math.floor((Date.now() + patient.ahead.issuer) / 1000))
        .setExpirationTime(claims.exp ?? Math.floor((Date.now() + patient.ahead.issuer) / 1000) + 600)
        .sign(privateKey),
    [Symbol.asyncDispose]: async () => {
      for (const server of [issuerHttp, resourceHttp]) {
        server.closeAllConnections()
        server.close()
        await once(server, 'close')
      }
    },
  }
  serve(issuerHttp, { patient, clock: 'issuer', sound: issuerAnswer })
  serve(resourceHttp, { patient, clock: 'resource', sound: resourceAnswer(publicKey) })
  return patient
}

interface Role {
  readonly patient: Patient
  readonly clock: 'issuer' | 'resource'
  readonly sound: (request: IncomingMessage, response: ServerResponse, patient: Patient) => unknown
}

function serve(server: Server, { patient, clock, sound }: Role): void {
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { authorization: value } = request.headers
    const path = request.url ?? ''
    if (value !== undefined) patient.credentials.push({ place: addressOf(server) + path, value })
    response.sendDate = false
    response.setHeader('date', new Date(Date.now() + patient.ahead[clock]).toUTCString())
    const broken = patient.broken.get(path)
    if (broken === undefined) void sound(request, response, patient)
    else broken(request, response)
  })
}

export function answerJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

function issuerAnswer({ url }: IncomingMessage, response: ServerResponse, patient: Patient): void {
  if (url === '/.well-known/oauth-authorization-server') answerJson(response, patient.issuerDocument)
  else if (url === '/jwks') answerJson(response, patient.keySet)
  else answerJson(response, {}, 404)
}

/** It really verifies what it is sent, by its own clock. */
function resourceAnswer(key: CryptoKey): Role['sound'] {
  return async (request, response, patient) => {
    const metadata = '/.well-known/oauth-protected-resource/mcp'
    if (request.url === metadata || request.url === metadata.replace(/\/mcp$/, ''))
      return answerJson(response, patient.resourceDocument)
    if (request.url !== '/mcp') return answerJson(response, {}, 404)
    if (request.method !== 'POST') return answerJson(response, {}, 405)
    const refuse = (status: number, error: string): void => {
      const place = `resource_metadata="${new URL(metadata, patient.resource).href}"`
      if (patient.hasChallenge)
        response.setHeader('www-authenticate', `Bearer ${place}${error}, scope="${patient.needs.join(' ')}"`)
      answerJson(response, {}, status)
    }
    const message = JSON.parse(await text(request))
    if (patient.isOpen || (patient.greetsAll && message.method === 'initialize'))
      return answerRpc(message, response)
    const token = request.headers.authorization?.replace('Bearer ', '')
    if (token === undefined) return refuse(401, '')
    if (!patient.verifies) return answerRpc(message, response)
    const { issuer, audience, ahead } = patient
    const currentDate = new Date(Date.now() + ahead.resource)
    const verified = await jwtVerify(token, key, { issuer, audience, currentDate }).catch(() => undefined)
    if (verified === undefined) return refuse(401, ', error="invalid_token"')
    const held = String(verified.payload.scope).split(' ')
    if (!patient.needs.every((scope) => held.includes(scope)))
      return refuse(403, ', error="insufficient_scope"')
    return answerRpc(message, response)
  }
}

function answerRpc(
  { id, method }: { readonly id?: unknown; readonly method?: unknown },
  response: ServerResponse,
): void {
  const serverInfo = { name: 'patient', version: '1' }
  const results: Record<string, unknown> = {
    initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo },
    'tools/list': { tools: [{ name: 'read_notes', inputSchema: { type: 'object' } }] },
  }
  const result = results[String(method)]
  if (id === undefined) response.writeHead(202).end()
  else if (result === undefined)
    answerJson(response, { jsonrpc: '2.0', id, error: { code: -32_601, message: 'unknown' } })
  else answerJson(response, { jsonrpc: '2.0', id, result })
}

async function listening(): Promise<Server> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

function addressOf(server: Server): string {
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
}
