import { printable } from '../oauth/server-words.ts'
import { bad, good, left, type Outcome } from './check.ts'
import { durationWords } from './duration-words.ts'
import type { Examination } from './examination.ts'
import type { Issuer } from './issuer-check.ts'
import { audiencesOf, type ReadToken, readToken } from './read-token.ts'
import { checkScopes, type ScopeQuestion } from './scope-check.ts'
import { isSignedBy } from './signature.ts'

export interface TokenQuestion extends ScopeQuestion {
  readonly token: string
  /** What the token must be for. */
  readonly resource: string
  readonly issuers: readonly Issuer[]
  /** How far the clock of the server is ahead of ours: it decides by its own. */
  readonly aheadMs: number
  /** Whether the server lets in who has no token: then it says nothing that it takes one. */
  readonly isOpen: boolean
}

/** Why a server refuses a token, one reason after the other; what a server accepts is not called wrong. */
export async function checkToken(examination: Examination, question: TokenQuestion): Promise<void> {
  const soften = softening(question)
  const token = await examination.check('token', () => soften(checkForm(question.token)))
  if (token !== undefined) {
    const now = examination.now() + question.aheadMs
    await examination.check('token issuer', () => soften(checkIssuerName(token, question)))
    await examination.check('signature', async () => soften(await checkSignature(token, question)))
    await examination.check('audience', () => soften(checkAudience(token, question)))
    await examination.check('lifetime', () => soften(checkLifetime(token, now)))
  }
  await examination.check('scope', () => checkScopes(token, question))
  const isUnexplained = !examination.checks.some(
    ({ state, cure }) => state === 'failed' && cure !== undefined,
  )
  if (question.call?.refusal?.status === 401 && isUnexplained)
    await examination.check('refusal', () => unexplained(token))
}

function softening({ call, isOpen }: TokenQuestion): <Value>(outcome: Outcome<Value>) => Outcome<Value> {
  return (outcome) => {
    if (call?.isAccepted !== true || outcome.state !== 'failed') return outcome
    if (outcome.cause === 'bad_signature' && !isOpen) return unchecked(outcome)
    return left(`${outcome.detail}; but the server takes it`, outcome.value)
  }
}

function unchecked<Value>({ value }: Outcome<Value>): Outcome<Value> {
  return bad(
    {
      cause: 'signature_unchecked',
      detail:
        'The server takes a token whose signature no key of the issuer has made: anybody can make such a token',
      cure: 'Make the server check the signature of every token against the key set of its issuer.',
    },
    value,
  )
}

function checkForm(token: string): Outcome<ReadToken> {
  if (!/^[\w.~+/-]+=*$/.test(token))
    return bad({
      cause: 'token_malformed',
      detail: 'The token has characters that no token may have (quotes, spaces, a line break?)',
      cure: 'Give the bare access token, without "Bearer" and quotes.',
    })
  const read = readToken(token)
  if (read === undefined) return left('Opaque: only its issuer can say what it means')
  const { algorithm, kid } = read
  if (algorithm === '' || /^none$|^HS/i.test(algorithm))
    return bad(
      {
        cause: 'token_algorithm',
        detail: `The token is signed with "${printable(algorithm)}", which proves nothing to a server`,
        cure: 'Let the authorization server sign access tokens with RS256 or ES256.',
      },
      read,
    )
  return good(`JWT, ${printable(algorithm)}${kid === undefined ? ', names no key (kid)' : ''}`, read)
}

function checkIssuerName({ claims }: ReadToken, { issuers, resource }: TokenQuestion): Outcome {
  const { iss } = claims
  if (issuers.length === 0) return left('It is not known whose tokens the server takes')
  const name = typeof iss === 'string' ? printable(iss) : 'nobody'
  if (issuers.some((issuer) => issuer.name === iss)) return good(name)
  const wanted = issuers.map((issuer) => printable(issuer.name)).join(' or ')
  return bad({
    cause: 'wrong_issuer',
    detail: `The token is of ${name}, and the server takes tokens of ${wanted}`,
    cure: `Get a token for ${printable(resource)} from ${wanted}.`,
    signIn: {},
  })
}

async function checkSignature(token: ReadToken, { issuers }: TokenQuestion): Promise<Outcome> {
  const issuer = issuers.find(({ name }) => name === token.claims.iss)
  if (issuer === undefined || issuer.keys.length === 0) return left('There is no key to check it with')
  const named = issuer.keys.filter(
    ({ kid }) => token.kid === undefined || kid === undefined || kid === token.kid,
  )
  const fresh = {
    cure: `Get a new token from ${printable(issuer.name)}; the key of this one is gone.`,
    signIn: {},
  }
  if (named.length === 0)
    return bad({
      cause: 'unknown_key',
      detail: 'The token is signed with a key that its issuer does not publish (any more)',
      ...fresh,
    })
  for (const { jwk } of named) if (await isSignedBy(jwk, token)) return good('Made by a key of the issuer')
  return bad({
    cause: 'bad_signature',
    detail:
      'The signature was not made with a key of the issuer: the token was changed, cut, or comes from elsewhere',
    ...fresh,
    cure: `Get a new token from ${printable(issuer.name)}, and pass it on whole.`,
  })
}

function checkAudience({ claims }: ReadToken, { resource }: TokenQuestion): Outcome {
  const audiences = audiencesOf(claims)
  if (audiences.some((one) => one === resource || URL.parse(one)?.href === URL.parse(resource)?.href))
    return good(printable(resource))
  const told = audiences.length === 0 ? 'nobody in particular' : audiences.map(printable).join(', ')
  const isIdToken = 'nonce' in claims || 'at_hash' in claims
  return bad({
    cause: 'wrong_audience',
    detail: `The token is for ${told}, and this server takes tokens for ${printable(resource)}${isIdToken ? '. It looks like an ID token, which is for the client alone' : ''}`,
    cure: isIdToken
      ? 'Send the access token, not the ID token.'
      : `Get a token for this server: ask for it with resource=${printable(resource)} (an authorization server that ignores this needs the audience in its own settings).`,
    signIn: {},
  })
}

function checkLifetime({ claims }: ReadToken, now: number): Outcome {
  const [exp, nbf, iat] = [claims.exp, claims.nbf, claims.iat].map(millisecondsOf)
  const start = Math.max(nbf ?? 0, iat ?? 0)
  if (exp === undefined)
    return bad({
      cause: 'no_expiry',
      detail: 'The token never expires (it has no exp), and careful servers refuse that',
      cure: 'Let the authorization server give its access tokens a lifetime.',
    })
  if (exp <= now)
    return bad({
      cause: 'expired',
      detail: `The token expired ${durationWords(now - exp)} ago, by the clock of the server`,
      cure: 'Get a new token.',
      signIn: {},
    })
  if (start > now + toleranceMs)
    return bad({
      cause: 'not_yet_valid',
      detail: `The token begins in ${durationWords(start - now)}, by the clock of the server`,
      cure: 'Set the clocks of the server and of the authorization server right (NTP).',
    })
  return good(`${durationWords(exp - now)} left`)
}

const toleranceMs = 60_000

function millisecondsOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value * 1000 : undefined
}

function unexplained(token: ReadToken | undefined): Outcome {
  return token === undefined
    ? bad({
        cause: 'unknown_token',
        detail: 'The server does not take the token: it has expired, was revoked, or is for another server',
        cure: 'Get a new token.',
        signIn: {},
      })
    : bad({
        cause: 'unexplained',
        detail:
          'By all that can be seen from here the token is right, and the server still refuses it: it may be revoked',
        cure: 'Look into the log of the server: it knows why. (In Postern: "postern events" shows the reason.)',
      })
}
