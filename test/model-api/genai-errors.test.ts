import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after, mock, test } from 'node:test'
import { GoogleGenAI, type GoogleGenAIOptions } from '@google/genai'
import type { CredentialsFile } from '../../src/store/service-account-file.ts'
import { startLocalIssuer } from '../auth/local-issuer.ts'
import { signWith } from '../authority/machine-requests.ts'
import { info, refusalOf, rpc, service } from './error-bodies.ts'
import { houseAddress, inStore, startHouse } from './house.ts'
import { withToken } from './with-token.ts'

// The SDK remarks on every client without a key.
mock.method(console, 'warn', () => undefined)

const address = await houseAddress()
const issuer = await startLocalIssuer({ audience: `${address.url}/v1beta` })
const house = await startHouse(address, { issuers: [{ issuer: issuer.issuer }] })
after(async () => {
  await house[Symbol.asyncDispose]()
  await issuer.stop()
})
const [key, narrow, elsewhere, old, gone] = await Promise.all([
  house.key(),
  house.key('--model', 'tale'),
  house.key('--address', '10.0.0.0/8'),
  house.key('--principal', 'old', '--expires', '1d'),
  house.key('--principal', 'gone'),
])
await inStore(house, async ({ db }) => {
  await db.updateTable('api_keys').set({ expires_at: 1 }).where('principal', '=', 'old').execute()
  await db.updateTable('api_keys').set({ revoked_at: 1 }).where('principal', '=', 'gone').execute()
})
const robot: CredentialsFile = Object(await house.place.json(['service-accounts', 'create', 'robot']))

const scopeBase = 'https://www.googleapis.com/auth'
const method = 'google.ai.generativelanguage.v1beta.GenerativeService.GenerateContent'
const badCredentials =
  'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.'

interface Row {
  readonly what: string
  readonly client: GoogleGenAIOptions
  readonly model?: string
  readonly code: number
  readonly status: string
  readonly message: string
  readonly details?: readonly object[]
}

function withHeaders(headers: Record<string, string>): GoogleGenAIOptions {
  return { apiKey: key, httpOptions: { headers } }
}

function badKey(message: string): Pick<Row, 'code' | 'status' | 'message' | 'details'> {
  const details = [info('API_KEY_INVALID'), rpc('LocalizedMessage', { locale: 'en-US', message })]
  return { code: 400, status: 'INVALID_ARGUMENT', message, details }
}

const badToken = { code: 401, status: 'UNAUTHENTICATED', message: badCredentials } as const
const robotClaims = { iss: robot.client_email, sub: robot.client_email, scope: `${scopeBase}/cloud-platform` }

function selfSigned(claims: object, file: CredentialsFile = robot): string {
  const now = Math.floor(Date.now() / 1000)
  const header = { alg: 'RS256', typ: 'JWT', kid: robot.private_key_id }
  return signWith(file, { ...robotClaims, iat: now, exp: now + 3600, ...claims }, header)
}

const stranger: CredentialsFile = {
  ...robot,
  private_key: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
    type: 'pkcs8',
    format: 'pem',
  }),
}

const rows: readonly Row[] = [
  {
    what: 'a key of nobody',
    client: { apiKey: 'of-nobody' },
    ...badKey('API key not valid. Please pass a valid API key.'),
  },
  {
    what: 'an expired key',
    client: { apiKey: old },
    ...badKey('API key expired. Please renew the API key.'),
  },
  {
    what: 'a revoked key',
    client: { apiKey: gone },
    ...badKey('API Key not found. Please pass a valid API key.'),
  },
  {
    what: 'a key and the token of somebody else',
    client: withHeaders({ Authorization: `Bearer ${issuer.token()}` }),
    code: 400,
    status: 'INVALID_ARGUMENT',
    message: 'Multiple authentication credentials received. Please pass only one.',
  },
  {
    what: 'a key sent as a token',
    client: withToken(key),
    ...badToken,
    details: [rpc('ErrorInfo', { reason: 'ACCESS_TOKEN_TYPE_UNSUPPORTED', metadata: { service, method } })],
  },
  {
    what: 'an expired token',
    client: withToken(issuer.token({ exp: 1_700_000_000 })),
    ...badToken,
    details: [info('ACCESS_TOKEN_EXPIRED', { method })],
  },
  {
    what: 'a token for another audience',
    client: withToken(issuer.token({ aud: `${address.url}/mcp` })),
    ...badToken,
  },
  {
    what: 'a token of another issuer',
    client: withToken(issuer.token({ iss: 'https://login.example' })),
    ...badToken,
  },
  {
    what: 'a token without the scope',
    client: withToken(issuer.token({ scope: 'notes:read' })),
    code: 403,
    status: 'PERMISSION_DENIED',
    message: 'Request had insufficient authentication scopes.',
    details: [info('ACCESS_TOKEN_SCOPE_INSUFFICIENT', { method })],
  },
  {
    what: 'a token that a service account did not sign',
    client: withToken(selfSigned({}, stranger)),
    ...badToken,
    details: [info('JWT_TOKEN_INVALID', { method })],
  },
  {
    what: 'the token of a service account that is for good',
    client: withToken(selfSigned({ exp: 4_000_000_000 })),
    ...badToken,
    details: [info('JWT_TOKEN_INVALID', { method })],
  },
  {
    what: 'the token of a service account for scopes that it does not have',
    client: withToken(selfSigned({ scope: 'notes:read' })),
    code: 403,
    status: 'PERMISSION_DENIED',
    message: 'Request had insufficient authentication scopes.',
    details: [info('ACCESS_TOKEN_SCOPE_INSUFFICIENT', { method })],
  },
  {
    what: 'a model that is not there',
    client: { apiKey: key },
    model: 'nope',
    code: 404,
    status: 'NOT_FOUND',
    message:
      'models/nope is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods.',
  },
  {
    what: 'a model that the key is not for',
    client: { apiKey: narrow },
    code: 403,
    status: 'PERMISSION_DENIED',
    message: `Requests to this API ${service} method ${method} are blocked. The API key may not call models/tiny.`,
    details: [info('API_KEY_SERVICE_BLOCKED', { methodName: method })],
  },
  {
    what: 'an address that the key is not for',
    client: { apiKey: elsewhere },
    code: 403,
    status: 'PERMISSION_DENIED',
    message:
      'The provided API key has an IP address restriction. The originating IP address of the call (127.0.0.1) violates this restriction.',
    details: [info('API_KEY_IP_ADDRESS_BLOCKED', { callerIp: '127.0.0.1' })],
  },
]

function clientOf(options: GoogleGenAIOptions): GoogleGenAI {
  return new GoogleGenAI({ ...options, httpOptions: { baseUrl: house.url, ...options.httpOptions } })
}

for (const { what, client, model = 'tiny', code, status, message, details } of rows)
  test(`${what}: ${code} ${status}, as ApiError`, async () => {
    const error = await refusalOf(clientOf(client).models.generateContent({ model, contents: 'hi' }))
    assert.equal(error.status, code)
    assert.deepEqual(JSON.parse(error.message), {
      error: { code, message, status, ...(details === undefined ? {} : { details }) },
    })
  })

test('a refusal at the start of a stream is the same', async () => {
  const ai = clientOf({ apiKey: 'of-nobody' })
  const error = await refusalOf(ai.models.generateContentStream({ model: 'tiny', contents: 'hi' }))
  assert.equal(error.status, 400)
  assert.equal(JSON.parse(error.message).error.details[0].reason, 'API_KEY_INVALID')
})

const place = { vertexai: true, project: 'demo', location: 'global' } as const

test('on the paths of Vertex AI errors name that service', async () => {
  const blocked = await refusalOf(
    clientOf({ vertexai: true, apiKey: narrow }).models.generateContent({ model: 'tiny', contents: 'hi' }),
  )
  assert.equal(blocked.status, 403)
  assert.deepEqual(JSON.parse(blocked.message).error.details[0].metadata, {
    service: 'aiplatform.googleapis.com',
    methodName: 'google.cloud.aiplatform.v1beta1.PredictionService.GenerateContent',
  })
  const missing = await refusalOf(
    clientOf({ ...place, ...withToken(selfSigned({})) }).models.generateContent({
      model: 'nope',
      contents: 'hi',
    }),
  )
  assert.deepEqual(
    [missing.status, JSON.parse(missing.message).error.message],
    [404, 'Publisher Model `projects/demo/locations/global/publishers/google/models/nope` not found.'],
  )
})
