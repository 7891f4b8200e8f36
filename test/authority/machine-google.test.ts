import assert from 'node:assert/strict'
import { createPublicKey, verify } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import {
  ExternalAccountClient,
  type ExternalAccountClientOptions,
  GoogleAuth,
  gaxios,
  JWT,
} from 'google-auth-library'
import { cloudPlatform, models, notes, startMachineAuthority } from './machine-authority.ts'
import { headerOf, payloadOf, seconds } from './machine-requests.ts'

const authority = await startMachineAuthority()
after(() => authority[Symbol.asyncDispose]())
const { audience, forge, robot, url } = authority
const subject = { sub: 'repo:team/app:main' }

const externalAccount = {
  type: 'external_account',
  audience,
  subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
  token_url: `${url}/v1/token`,
} as const

async function folder(context: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'postern-workload-'))
  context.after(() => rm(path, { recursive: true }))
  return path
}

async function serveToken(context: TestContext, token: () => string): Promise<string> {
  const server = createServer((request, response) => {
    const isAsked = request.headers['metadata-flavor'] === 'Google'
    response.writeHead(isAsked ? 200 : 403, { 'content-type': 'application/json' })
    response.end(JSON.stringify(isAsked ? { id_token: token() } : {}))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  context.after(() => server.close())
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/token`
}

function authFor(credentials: ExternalAccountClientOptions, scopes?: string | string[]): GoogleAuth {
  return new GoogleAuth({ credentials, ...(scopes === undefined ? {} : { scopes }) })
}

function bearerOf(headers: Headers): string {
  const [, token = ''] = /^Bearer (.+)$/.exec(headers.get('authorization') ?? '') ?? []
  return token
}

test('external_account: a token in a file is exchanged, found through GOOGLE_APPLICATION_CREDENTIALS', async (context) => {
  const place = await folder(context)
  const source = join(place, 'token.jwt')
  await writeFile(source, forge.token(subject))
  const credentials = join(place, 'credentials.json')
  await writeFile(credentials, JSON.stringify({ ...externalAccount, credential_source: { file: source } }))
  process.env.GOOGLE_APPLICATION_CREDENTIALS = credentials
  process.env.GOOGLE_CLOUD_PROJECT = 'demo'
  const auth = new GoogleAuth({ scopes: 'notes:read' })
  const { aud, sub, scope } = payloadOf(await auth.getAccessToken())
  assert.deepEqual([aud, sub, scope], [notes, robot.client_email, 'notes:read'])
})

test('external_account: a token from a URL is exchanged, once for many requests', async (context) => {
  let issued = 0
  const source = await serveToken(context, () => {
    issued += 1
    return forge.token(subject)
  })
  const auth = authFor({
    ...externalAccount,
    credential_source: {
      url: source,
      headers: { 'Metadata-Flavor': 'Google' },
      format: { type: 'json', subject_token_field_name: 'id_token' },
    },
  })
  const token = bearerOf(await auth.getRequestHeaders('https://gateway.example/v1beta/models'))
  assert.deepEqual([payloadOf(token).aud, payloadOf(token).scope], [models, cloudPlatform])
  assert.equal(bearerOf(await auth.getRequestHeaders('https://gateway.example/v1beta/corpora')), token)
  assert.equal(issued, 1)
})

test('external_account: our audiences make the library look up no project', async () => {
  const client = ExternalAccountClient.fromJSON({ ...externalAccount, credential_source: { file: 'none' } })
  assert.equal(await client?.getProjectId(), null)
})

test('external_account: a refusal reaches the developer in words', async (context) => {
  const source = join(await folder(context), 'token.jwt')
  await writeFile(source, forge.token({ sub: 'repo:team/other' }))
  const auth = authFor({ ...externalAccount, credential_source: { file: source } }, 'notes:read')
  await assert.rejects(auth.getAccessToken(), {
    message:
      /^Error code invalid_request: the subject of the subject_token may not use a service account here$/,
  })
})

/** The library ignores `token_uri`, so what it sends to Google is sent here on its way. */
function redirected(): gaxios.Gaxios {
  const transporter = new gaxios.Gaxios()
  transporter.interceptors.request.add({
    resolved: async (config) => {
      assert.equal(String(config.url), 'https://oauth2.googleapis.com/token')
      return { ...config, url: new URL(`${url}/token`) }
    },
  })
  return transporter
}

test('service_account: the assertion that the library signs for Google gives a token here', async () => {
  const client = new JWT({
    email: robot.client_email,
    key: robot.private_key,
    scopes: ['notes:read', 'notes:write'],
    transporter: redirected(),
  })
  const { access_token: token, expiry_date: end } = await client.authorize()
  assert.deepEqual([payloadOf(token).aud, payloadOf(token).scope], [notes, 'notes:read notes:write'])
  assert.ok(Math.abs(Number(end) / 1000 - seconds(600)) < 10)
})

test('service_account: a refusal reaches the developer in words', async () => {
  const client = new JWT({
    email: robot.client_email,
    key: robot.private_key,
    scopes: ['notes:admin'],
    transporter: redirected(),
  })
  await assert.rejects(client.authorize(), {
    message: /^invalid_scope: the service account does not have the scope notes:admin$/,
  })
})

test('service_account: with our file the library signs a token of its own and calls nobody', async () => {
  const auth = new GoogleAuth({ credentials: robot, scopes: cloudPlatform })
  const token = bearerOf(await auth.getRequestHeaders('https://gateway.example/v1beta/models'))
  assert.deepEqual(headerOf(token), { alg: 'RS256', typ: 'JWT', kid: robot.private_key_id })
  const { iat, exp, ...claims } = payloadOf(token)
  assert.deepEqual(claims, { iss: robot.client_email, sub: robot.client_email, scope: cloudPlatform })
  assert.equal(Number(exp) - Number(iat), 3600)
  const [head, payload, signature = ''] = token.split('.')
  const account = await authority.accounts.findByEmail(robot.client_email)
  const [key] = await authority.accounts.validKeys(account?.id ?? '')
  const isTheirs = (publicKey = createPublicKey(robot.private_key)): boolean =>
    verify('sha256', Buffer.from(`${head}.${payload}`), publicKey, Buffer.from(signature, 'base64url'))
  assert.ok(isTheirs(key?.publicKey))
  assert.equal(await auth.getUniverseDomain(), 'postern.example')
})
