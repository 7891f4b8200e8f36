import type { Log } from '../log/log.ts'
import type { IssuerConfig } from './claims.ts'
import type { JsonAnswer, JsonClient } from './json-client.ts'
import { noVerdict } from './refusal.ts'
import { type JsonObject, member } from './strict-json.ts'
import type { PresentedToken } from './verified-token.ts'

/** What an issuer says of a token that it calls active; undefined of any other. */
export type IntrospectionClient = (token: PresentedToken) => Promise<JsonObject | undefined>

export interface IntrospectionClientOptions {
  readonly issuer: IssuerConfig
  readonly web: JsonClient
  /** For questions about tokens that anybody may have made up. */
  readonly strangersWeb: JsonClient
  readonly log: Log
  readonly now: () => number
}

/** Asks one issuer about tokens (RFC 7662). */
export function createIntrospectionClient(options: IntrospectionClientOptions): IntrospectionClient {
  const { issuer, now, log } = options
  const endpoint = issuer.introspection
  if (endpoint === undefined) throw new TypeError(`issuer ${issuer.issuer} has no introspection endpoint`)
  const authorization = basicCredentials(endpoint.clientId, endpoint.clientSecret)
  const [known, strangers] = [createLane(options.web), createLane(options.strangersWeb)]
  let warnedAt = Number.NEGATIVE_INFINITY

  async function ask(token: PresentedToken): Promise<JsonAnswer> {
    const lane = token.vouchedBy === issuer.issuer ? known : strangers
    if (lane.asking >= mostAsking) throw new Error('too many questions are waiting for an answer')
    lane.asking += 1
    try {
      const fields = { token: token.text, token_type_hint: 'access_token' }
      return await lane.web.send({ url: endpoint?.url ?? '', form: { authorization, fields } })
    } finally {
      lane.asking -= 1
    }
  }

  /** An outage is told once in a while, not once for every call. */
  function warn(cause: unknown): void {
    if (now() - warnedAt < warningSpacing) return
    warnedAt = now()
    log.warn({ err: cause, issuer: issuer.issuer }, 'an issuer did not say whether a token is active')
  }

  return (token) =>
    ask(token)
      .then(readAnswer)
      .catch((cause: unknown) => {
        warn(cause)
        throw noVerdict('the issuer of the access token does not answer; try again later', cause)
      })
}

/** In milliseconds. */
const warningSpacing = 10_000

/** How many tokens may be asked about at once in one lane, for all resources together. */
const mostAsking = 1000

/** Anybody can make tokens up: questions about them have places and connections of their own, so that they hold up no token that was good before. */
interface Lane {
  readonly web: JsonClient
  asking: number
}

function createLane(web: JsonClient): Lane {
  return { web, asking: 0 }
}

/** RFC 6749, section 2.3.1: both halves are form-encoded before they are joined, so a colon in them is safe. */
function basicCredentials(clientId: string, clientSecret: string): string {
  const [id, secret] = [clientId, clientSecret].map((text) =>
    new URLSearchParams([['', text]]).toString().slice(1),
  )
  return `Basic ${Buffer.from(`${id}:${secret}`, 'utf8').toString('base64')}`
}

/** Some issuers answer 400 for a token they cannot read: they were asked, and do not vouch for it. */
function readAnswer({ status, body }: JsonAnswer): JsonObject | undefined {
  if (status === 400) return undefined
  if (status !== 200 || body === undefined || !Object.hasOwn(body, 'active')) {
    throw new Error(`the introspection endpoint answered ${status} without a verdict`)
  }
  return member(body, 'active') === true ? body : undefined
}
