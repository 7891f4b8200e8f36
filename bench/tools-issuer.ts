import { once } from 'node:events'
import { createServer } from 'node:http'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { scope } from './tools-wire.ts'

export interface BenchIssuer {
  readonly issuer: string
  readonly token: (resource: string) => Promise<string>
  readonly stop: () => void
}

/** Metadata, a key set and ES256 tokens as RFC 9068 describes them. */
export async function startIssuer(): Promise<BenchIssuer> {
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'bench', alg: 'ES256', use: 'sig' }]
  let issuer = ''
  const server = createServer((request, response) => {
    const document = request.url === '/jwks' ? { keys } : { issuer, jwks_uri: `${issuer}/jwks` }
    response.setHeader('content-type', 'application/json').end(JSON.stringify(document))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  issuer = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  const token = (resource: string): Promise<string> =>
    new SignJWT({ scope, client_id: 'bench-client', jti: 'bench-token' })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'bench' })
      .setIssuer(issuer)
      .setSubject('bench-user')
      .setAudience(resource)
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(privateKey)
  return { issuer, token, stop: () => server.close() }
}
