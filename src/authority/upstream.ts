import * as oauth from 'oauth4webapi'
import { Failure } from '../failure/failure.ts'
import { exchangeAnswer, type UpstreamLogin, type UpstreamPerson } from './upstream-exchange.ts'
import { cachedMetadata, reach, type UpstreamConfig } from './upstream-metadata.ts'

export interface Upstream {
  readonly config: UpstreamConfig
  /** Where the browser goes, and what to keep meanwhile. */
  readonly begin: (wishes: {
    readonly loginHint: string | undefined
    readonly mustAsk: boolean
  }) => Promise<{ readonly url: URL; readonly login: UpstreamLogin }>
  /** Fails as `unavailable` when the upstream does not answer, as `forbidden` when its answer is not to be believed. */
  readonly end: (answer: URLSearchParams, login: UpstreamLogin) => Promise<UpstreamPerson>
}

export function createUpstream(config: UpstreamConfig, redirectUri: string): Upstream {
  const metadata = cachedMetadata(config)
  const client: oauth.Client = { client_id: config.clientId, [oauth.clockTolerance]: clockSkewSeconds }
  return {
    config,
    begin: async ({ loginHint, mustAsk }) => {
      const server = await reach(metadata)
      const login = {
        state: oauth.generateRandomState(),
        nonce: oauth.generateRandomNonce(),
        verifier: oauth.generateRandomCodeVerifier(),
      }
      const url = new URL(endpoint(server.authorization_endpoint, 'authorization_endpoint'))
      const fields = {
        response_type: 'code',
        client_id: config.clientId,
        redirect_uri: redirectUri,
        scope: [...new Set(['openid', ...config.scopes])].join(' '),
        state: login.state,
        nonce: login.nonce,
        code_challenge: await oauth.calculatePKCECodeChallenge(login.verifier),
        code_challenge_method: 'S256',
        ...(loginHint === undefined ? {} : { login_hint: loginHint }),
        ...(mustAsk ? { prompt: 'login' } : {}),
      }
      for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, value)
      return { url, login }
    },
    end: async (answer, login) => {
      const server = await reach(metadata)
      return exchangeAnswer({ server, client, config, redirectUri }, answer, login)
    },
  }
}

const clockSkewSeconds = 30

function endpoint(url: string | undefined, name: string): string {
  if (url !== undefined) return url
  throw new Failure('unavailable', `the upstream names no ${name}`)
}
