import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { noteSecret } from '../records/secret-search-notes.ts'

/** An OpenID provider that knows one person, signs them in without asking, and can be told to lie. */
export interface SmallUpstream extends AsyncDisposable {
  readonly issuer: string
  /** May be changed between sign-ins. */
  readonly says: Lies & { person: Readonly<Record<string, unknown>> }
  /** The parameters of the last authorization request. */
  readonly asked: () => URLSearchParams
}

interface Lies {
  /** What differs in the ID token. */
  claims?: Readonly<Record<string, unknown>>
  /** What differs in the answer that the browser carries. */
  answer?: Readonly<Record<string, string>>
  /** Whether the ID token is signed with a key that is not published. */
  isForged?: boolean
  /** Claims that are told at /userinfo alone. */
  userInfo?: Readonly<Record<string, unknown>>
  isDown?: boolean
  /** What /token answers instead, with its status. */
  refusal?: readonly [number, Readonly<Record<string, string>>]
}

export const upstreamClient = { clientId: 'postern', clientSecret: 'the secret of postern there' } as const

export async function startSmallUpstream(person: Readonly<Record<string, unknown>>): Promise<SmallUpstream> {
  const says: SmallUpstream['says'] = { person }
  const [honest, forged] = await Promise.all([generateKeyPair('ES256'), generateKeyPair('ES256')])
  const codes = new Map<string, URLSearchParams>()
  let asked = new URLSearchParams()
  let issuer = ''

  const discovery = (): unknown => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    userinfo_endpoint: says.userInfo === undefined ? undefined : `${issuer}/userinfo`,
    id_token_signing_alg_values_supported: ['ES256'],
    authorization_response_iss_parameter_supported: true,
  })

  function authorize(parameters: URLSearchParams, response: ServerResponse): void {
    asked = parameters
    noteSecret('the state of a sign-in at the upstream', parameters.get('state'))
    noteSecret('the nonce of a sign-in at the upstream', parameters.get('nonce'))
    const code = `code-${codes.size}`
    codes.set(code, parameters)
    const back = new URL(parameters.get('redirect_uri') ?? '')
    const answer = { code, state: parameters.get('state') ?? '', iss: issuer, ...says.answer }
    for (const [name, value] of Object.entries(answer)) if (value !== '') back.searchParams.set(name, value)
    response.writeHead(303, { location: back.href }).end()
  }

  async function token(request: IncomingMessage): Promise<unknown> {
    const form = new URLSearchParams(await text(request))
    noteSecret('a code verifier', form.get('code_verifier'))
    const parameters = codes.get(form.get('code') ?? '')
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    if (!codes.delete(form.get('code') ?? '') || parameters?.get('code_challenge') !== challenge)
      return { error: 'invalid_grant' }
    const now = Math.floor(Date.now() / 1000)
    const claims = {
      iss: issuer,
      aud: upstreamClient.clientId,
      iat: now,
      exp: now + 60,
      nonce: parameters.get('nonce'),
    }
    const signed = new SignJWT({ ...claims, ...says.person, ...says.claims })
      .setProtectedHeader({ alg: 'ES256', kid: 'k' })
      .sign(says.isForged === true ? forged.privateKey : honest.privateKey)
    const idToken = await signed
    noteSecret('an ID token of the upstream', idToken)
    return { access_token: 'theirs', token_type: 'bearer', id_token: idToken }
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const url = new URL(request.url ?? '/', issuer)
    if (says.isDown === true) return response.destroy()
    if (url.pathname === '/authorize') return authorize(url.searchParams, response)
    if (says.refusal !== undefined && url.pathname === '/token') {
      const [status, body] = says.refusal
      return response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
    const answers: Readonly<Record<string, () => unknown>> = {
      '/.well-known/openid-configuration': discovery,
      '/jwks': async () => ({
        keys: [{ ...(await exportJWK(honest.publicKey)), kid: 'k', alg: 'ES256', use: 'sig' }],
      }),
      '/token': () => token(request),
      '/userinfo': () => ({ sub: says.person.sub, ...says.userInfo }),
    }
    const body = await answers[url.pathname]?.()
    const isError = typeof body === 'object' && body !== null && 'error' in body
    response.writeHead(isError ? 400 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    return undefined
  }

  const server = createServer((request, response) => void answer(request, response))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  issuer = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  return {
    issuer,
    says,
    asked: () => asked,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
