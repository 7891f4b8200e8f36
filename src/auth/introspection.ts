import { readClaims } from './claims.ts'
import type { JsonAnswer, JsonClient } from './json-client.ts'
import type { IssuerCheckOptions } from './jwt-check.ts'
import { noVerdict, refusal } from './refusal.ts'
import { type JsonObject, member } from './strict-json.ts'
import { credentialId, type PresentedToken, type VerifiedToken } from './verified-token.ts'

/** Undefined when the issuer says that the token is not active; refused when it is active but not for us. */
export type IntrospectionCheck = (token: PresentedToken) => Promise<VerifiedToken | undefined>

/** Asks one issuer about a token (RFC 7662). */
export function createIntrospectionCheck(options: IssuerCheckOptions): IntrospectionCheck {
  const { issuer, resource, now, log } = options
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

  return async (token) => {
    const answer = await ask(token)
      .then(readAnswer)
      .catch((cause: unknown) => {
        warn(cause)
        throw noVerdict('the issuer of the access token does not answer; try again later', cause)
      })
    if (answer === undefined || member(answer, 'active') !== true) return undefined
    checkOrigin(answer, issuer.issuer)
    const claims = readClaims(answer, { issuer, resource, now: now() })
    return {
      principal: { ...claims, credential: { kind: 'introspection', id: credentialId(token) } },
      until: Math.min(claims.expiresAt * 1000, now() + endpoint.cacheSeconds * 1000),
      isVouchedFor: () => true,
    }
  }
}

/** In milliseconds. */
const warningSpacing = 10_000

/** How many tokens may be asked about at once in one lane. */
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
  return body
}

function checkOrigin(answer: JsonObject, issuer: string): void {
  const [iss, type] = [member(answer, 'iss'), member(answer, 'token_type')]
  if (iss !== undefined && iss !== issuer) throw refusal('the access token is of another issuer')
  const kind = typeof type === 'string' ? type.toLowerCase() : type
  if (kind !== undefined && kind !== 'bearer' && kind !== 'dpop')
    throw refusal('the token is not an access token')
  if (kind === 'dpop' && member(answer, 'cnf') === undefined)
    throw refusal('the access token is bound to a key that its issuer does not name')
}
