import * as oauth from 'oauth4webapi'
import { untilAborted } from '../abort.ts'
import { ClientError } from '../client-error.ts'
import { type ClientIdentity, type IdentityOptions, introduce, preferredRedirect } from './client-identity.ts'
import { grantOf } from './grant.ts'
import { step } from './oauth-failure.ts'
import type { OpenRedirect, Redirect } from './redirect.ts'
import { safeUrl } from './safe-url.ts'
import { requestOptions, type ServerMetadata } from './server-metadata.ts'
import type { StoredClient, StoredGrant } from './token-store.ts'

export interface SignIn {
  readonly server: ServerMetadata
  readonly resource: string
  /** The resource as it calls itself. */
  readonly audience: string
  readonly scopes: readonly string[]
  readonly redirect: Redirect
  readonly signal: AbortSignal
}

/** What a sign-in gives; `registration` is the client it was made with, where the issuer has registered us. */
export interface SignedIn {
  readonly grant: StoredGrant
  readonly registration: StoredClient | undefined
}

/** The authorization code flow of OAuth 2.1: PKCE with S256, `state`, `resource` (RFC 8707) and `iss` (RFC 9207). */
export async function signIn(order: SignIn, options: IdentityOptions): Promise<SignedIn> {
  const { server, redirect } = order
  requirePkce(server)
  const opened = await redirect.open(await preferredRedirect(server, options))
  try {
    const introduction = { redirectUri: opened.redirectUri, kind: redirect.kind }
    const identity = await introduce(server, introduction, options)
    const asked = await ask({ ...order, ...opened }, identity.client)
    const answer = await untilAborted(order.signal, () => opened.waitForAnswer(asked.page, order.signal))
    const answered = { ...order, identity, asked, answer, redirectUri: opened.redirectUri }
    return { grant: await redeem(answered, options), registration: identity.registration }
  } finally {
    await opened.close()
  }
}

/** A server that does not say so may ignore the challenge, and then a stolen code is good for anybody. */
function requirePkce({ issuer, code_challenge_methods_supported: methods }: ServerMetadata): void {
  if (methods?.includes('S256') === true) return
  throw new ClientError(
    'pkce_unsupported',
    `${issuer} does not say that it supports PKCE with S256 (code_challenge_methods_supported), without which a sign-in is not safe`,
  )
}

interface Asked {
  readonly page: URL
  readonly state: string
  readonly verifier: string
}

type Asking = Pick<SignIn, 'server' | 'audience' | 'scopes'> & Pick<OpenRedirect, 'redirectUri'>

async function ask({ server, audience, scopes, redirectUri }: Asking, client: oauth.Client): Promise<Asked> {
  const { issuer, authorization_endpoint: endpoint } = server
  if (endpoint === undefined)
    throw new ClientError('invalid_metadata', `${issuer} names no authorization_endpoint`)
  const verifier = oauth.generateRandomCodeVerifier()
  const state = oauth.generateRandomState()
  const page = safeUrl(endpoint, { what: 'the authorization_endpoint', mayBeLocal: true })
  const parameters = {
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: redirectUri,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    resource: audience,
    ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }),
    // OpenID Connect Core, section 11: without it the scope may be ignored.
    ...(scopes.includes('offline_access') ? { prompt: 'consent' } : {}),
  }
  for (const [name, value] of Object.entries(parameters)) page.searchParams.set(name, value)
  return { page, state, verifier }
}

interface Answered extends SignIn {
  readonly identity: ClientIdentity
  readonly asked: Asked
  readonly answer: URL
  readonly redirectUri: string
}

async function redeem(answered: Answered, options: IdentityOptions): Promise<StoredGrant> {
  const { server, identity, resource, audience, scopes } = answered
  const { client, authentication } = identity
  const parameters = await checkAnswer(answered)
  const refused = { code: 'token_refused', message: `${server.issuer} gave no token for the sign-in` }
  const exchange = step(refused, async () => {
    const request = { ...requestOptions(options.fetch), additionalParameters: { resource: audience } }
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      authentication,
      parameters,
      answered.redirectUri,
      answered.asked.verifier,
      request,
    )
    return oauth.processAuthorizationCodeResponse(server, client, response)
  })
  const names = { issuer: server.issuer, clientId: client.client_id }
  const token = await exchange.catch(async (error: unknown) => {
    // An issuer that has forgotten us: the next attempt introduces us again.
    if (error instanceof ClientError && error.reason === 'invalid_client')
      await options.store.deleteClient(names)
    throw error
  })
  return grantOf(token, { ...names, resource, audience, scopes, now: options.now() })
}

/** `iss` and `state` first: of an answer that came from somebody else, not even the error is believed. */
async function checkAnswer({ server, identity, asked, answer }: Answered): Promise<URLSearchParams> {
  const { issuer } = server
  const told = answer.searchParams
  const iss = told.get('iss')
  if (iss === null ? server.authorization_response_iss_parameter_supported === true : iss !== issuer)
    throw new ClientError(
      'issuer_mismatch',
      `the answer to the sign-in does not come from ${issuer}: it was thrown away; try again, and if it happens again, do not trust the page you were sent to`,
    )
  if (told.get('state') !== asked.state || told.getAll('state').length !== 1)
    throw new ClientError(
      'state_mismatch',
      'the answer belongs to another sign-in and was thrown away: start again, in one window',
    )
  const isDenied = told.get('error') === 'access_denied'
  const failure = isDenied
    ? { code: 'sign_in_refused', message: `the sign-in at ${issuer} was refused` }
    : { code: 'sign_in_failed', message: `the sign-in at ${issuer} failed` }
  return step(failure, async () => oauth.validateAuthResponse(server, identity.client, told, asked.state))
}
