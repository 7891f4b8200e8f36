import * as oauth from 'oauth4webapi'
import { Failure } from '../failure/failure.ts'
import { callOptions, type UpstreamConfig } from './upstream-metadata.ts'
import { upstreamRefusal } from './upstream-refusal.ts'

/** What must be known again when the person comes back from the upstream. */
export interface UpstreamLogin {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

/** A person as the upstream describes them, once its answer is verified. */
export interface UpstreamPerson {
  readonly issuer: string
  readonly subject: string
  readonly claims: Readonly<Record<string, unknown>>
}

interface Parties {
  readonly server: oauth.AuthorizationServer
  readonly client: oauth.Client
  readonly config: UpstreamConfig
  readonly redirectUri: string
}

/** Who has signed in, from the answer that the browser brought back. */
export function exchangeAnswer(
  parties: Parties,
  answer: URLSearchParams,
  login: UpstreamLogin,
): Promise<UpstreamPerson> {
  return believe(() => exchange(parties, answer, login))
}

/** RFC 9207 and `state` first, then the code, then the ID token with its signature, `nonce` and audience. */
async function exchange(
  { server, client, config, redirectUri }: Parties,
  answer: URLSearchParams,
  login: UpstreamLogin,
): Promise<UpstreamPerson> {
  const options = callOptions(config)
  const checked = oauth.validateAuthResponse(server, client, answer, login.state)
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    authentication(server, config),
    checked,
    redirectUri,
    login.verifier,
    options,
  )
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
    expectedNonce: login.nonce,
    requireIdToken: true,
  })
  await oauth.validateApplicationLevelSignature(server, response, options)
  const claims = oauth.getValidatedIdTokenClaims(tokens)
  if (claims === undefined) throw new Failure('forbidden', 'the upstream sent no ID token')
  const isTold = claims[config.loginClaim] !== undefined || server.userinfo_endpoint === undefined
  // All from one place, so that what is verified is verified of the same thing.
  const told = isTold
    ? claims
    : await userInfo({ server, client, config, redirectUri }, tokens.access_token, claims.sub)
  return { issuer: server.issuer, subject: claims.sub, claims: { name: claims.name, ...told } }
}

/** Some providers name the person there alone, and not in the ID token. */
async function userInfo(
  { server, client, config }: Parties,
  accessToken: string,
  subject: string,
): Promise<oauth.UserInfoResponse> {
  const response = await oauth.userInfoRequest(server, client, accessToken, callOptions(config))
  return oauth.processUserInfoResponse(server, client, subject, response)
}

function authentication(server: oauth.AuthorizationServer, config: UpstreamConfig): oauth.ClientAuth {
  const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  return methods.includes('client_secret_basic')
    ? oauth.ClientSecretBasic(config.clientSecret)
    : oauth.ClientSecretPost(config.clientSecret)
}

async function believe<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (cause) {
    throw failureOf(cause)
  }
}

function failureOf(cause: unknown): Failure {
  const isRefusal = cause instanceof oauth.AuthorizationResponseError
  const { error = '', status = 0 } = upstreamRefusal(cause)
  if (isRefusal && error === 'access_denied')
    return new Failure('forbidden', 'the sign-in was cancelled', { cause, reason: 'upstream_cancelled' })
  const isNetwork =
    cause instanceof TypeError || (cause instanceof DOMException && cause.name === 'TimeoutError')
  if (isNetwork) return new Failure('unavailable', 'the upstream cannot be reached', { cause })
  if (status >= 500 || outages.has(error))
    return new Failure('unavailable', 'the upstream cannot answer at this moment', { cause })
  return isRefusal
    ? new Failure('forbidden', 'the upstream refused the sign-in', { cause, reason: 'upstream_refused' })
    : new Failure('forbidden', 'the answer of the upstream is not to be believed', { cause })
}

const outages: ReadonlySet<string> = new Set(['temporarily_unavailable', 'server_error'])
