import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:https'
import { errors, Provider } from 'oidc-provider'
import { Agent, fetch as fetchWith, type RequestInit } from 'undici'
import { selfSignedCertificate } from './self-signed-certificate.ts'
import {
  type AuthorizationServerReady,
  type AuthorizationServerSettings,
  introspectionClient,
  machineClient,
  publicClientId,
  redirectUri,
} from './settings.ts'

const publicClient = {
  redirect_uris: [redirectUri],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
  application_type: 'native',
} as const
const settings: AuthorizationServerSettings = JSON.parse(String(process.argv[2]))
const tls = selfSignedCertificate()
const clientDocumentUrl = await serveClientDocument()
const issuer = `http://127.0.0.1:${settings.port}`
const provider = new Provider(issuer, configuration())
provider.listen(settings.port, '127.0.0.1', () => {
  const ready: AuthorizationServerReady = { issuer, clientDocumentUrl }
  process.send?.(ready)
})
// The parent that has gone must not leave this process behind.
process.on('disconnect', () => process.exit(0))

async function serveClientDocument(): Promise<string> {
  let url = ''
  const server = createServer({ key: tls.key, cert: tls.certificate }, (_request, response) => {
    const document = { ...publicClient, client_id: url, client_name: 'A client with a document' }
    response.setHeader('content-type', 'application/json').end(JSON.stringify(document))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  url = `https://localhost:${typeof address === 'object' ? address?.port : ''}/client.json`
  return url
}

function configuration(): Readonly<Record<string, unknown>> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = { ...privateKey.export({ format: 'jwk' }), kid: 'test-key', use: 'sig', alg: 'ES256' }
  const dispatcher = new Agent({ connect: { ca: tls.certificate } })
  return {
    jwks: { keys: [key] },
    cookies: { keys: ['cookie-key-of-the-tests'] },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    clients: [
      { ...publicClient, client_id: publicClientId },
      confidential(introspectionClient, []),
      confidential(machineClient, ['client_credentials']),
    ],
    scopes: ['openid', 'offline_access', ...settings.scopes],
    pkce: { required: () => true },
    findAccount: (_context: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id }) }),
    // The provider's own fetch refuses loopback addresses and foreign certificates; both are ours here.
    fetch: (url: string, options: RequestInit) => fetchWith(url, { ...options, dispatcher }),
    features: {
      devInteractions: { enabled: true },
      clientCredentials: { enabled: true },
      introspection: { enabled: true, allowedPolicy: () => true },
      registration: { enabled: true },
      clientIdMetadataDocument: { enabled: true, ack: 'draft-02' },
      resourceIndicators: { enabled: true, useGrantedResource: () => true, getResourceServerInfo },
    },
  }
}

function getResourceServerInfo(_context: unknown, resource: string): Readonly<Record<string, unknown>> {
  const format = settings.resources[resource]
  if (format === undefined) throw new errors.InvalidTarget()
  const shared = { scope: settings.scopes.join(' '), accessTokenTTL: 300, audience: resource }
  return format === 'jwt'
    ? { ...shared, accessTokenFormat: 'jwt', jwt: { sign: { alg: 'ES256' } } }
    : { ...shared, accessTokenFormat: 'opaque' }
}

function confidential(
  { id, secret }: { readonly id: string; readonly secret: string },
  grants: readonly string[],
): Readonly<Record<string, unknown>> {
  return {
    client_id: id,
    client_secret: secret,
    grant_types: grants,
    redirect_uris: [],
    response_types: [],
  }
}
