import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { selfSignedCertificate } from '../authorization-server/self-signed-certificate.ts'
import { desk } from './e2e-programs.ts'

/** Client ID metadata documents over https, as the makers of clients would publish them. */
export interface ClientDocuments extends AsyncDisposable {
  /** The address of one, which is the client's identifier. */
  readonly url: (name: string) => string
  /** What a program is to be started with so that it trusts the certificate. */
  readonly env: NodeJS.ProcessEnv
}

export async function publishClientDocuments(clientName: string): Promise<ClientDocuments> {
  const folder = await mkdtemp(join(tmpdir(), 'postern-document-'))
  const { key, certificate } = selfSignedCertificate()
  const trusted = join(folder, 'certificate.pem')
  await writeFile(trusted, certificate)
  let origin = ''
  const server = createServer({ key, cert: certificate }, (request, response) => {
    const document = {
      client_id: origin + request.url,
      client_name: clientName,
      redirect_uris: [desk.redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      application_type: 'native',
    }
    response.setHeader('content-type', 'application/json').end(JSON.stringify(document))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  origin = `https://localhost:${typeof address === 'object' ? address?.port : ''}`
  return {
    url: (name) => `${origin}/${name}.json`,
    env: { NODE_EXTRA_CA_CERTS: trusted },
    [Symbol.asyncDispose]: async () => {
      server.close()
      server.closeAllConnections()
      await rm(folder, { recursive: true })
    },
  }
}
