import type { CallResult, Refusal } from './call-check.ts'
import { bad, good, left, type Outcome } from './check.ts'
import { type ReadToken, scopesOf } from './read-token.ts'

export interface ScopeQuestion {
  /** What the server says a caller needs. */
  readonly needed: readonly string[]
  readonly call: CallResult | undefined
}

/** What the token allows, against what the server says a caller needs. */
export function checkScopes(token: ReadToken | undefined, { call, needed }: ScopeQuestion): Outcome {
  const held = token === undefined ? undefined : scopesOf(token.claims)
  if (call?.refusal?.status === 403) return refused(call.refusal, held)
  if (held === undefined) return left('Only its issuer knows what the token allows')
  if (needed.length === 0) return left(`The server names none; the token allows ${listed(held.scopes)}`)
  const missing = needed.filter((scope) => !held.scopes.includes(scope))
  if (missing.length === 0) return good(`Allows ${listed(needed)}`)
  return left(`The token does not allow ${listed(missing)}: tools that need it are refused with 403`)
}

function refused({ challenge }: Refusal, held: ReturnType<typeof scopesOf> | undefined): Outcome {
  if (challenge?.error !== 'insufficient_scope')
    return bad({
      cause: 'forbidden',
      detail: 'The server knows who calls, and says no (403) for a reason other than scopes',
      cure: 'Ask the operator of the server to let you in.',
    })
  const missing = challenge.scopes.filter((scope) => held?.scopes.includes(scope) !== true)
  if (challenge.scopes.length > 0 && missing.length === 0)
    return bad({
      cause: 'scope_claim',
      detail: `The server asks for ${listed(challenge.scopes)}, and the token has it, in its claim "${held?.claim ?? ''}": the server reads another one`,
      cure: `Let the server read the scopes from "${held?.claim ?? ''}" (in Postern: scopeClaim of the issuer).`,
    })
  const wanted = missing.length === 0 ? 'more scopes, and does not say which' : listed(missing)
  const has = held === undefined ? '' : `, and the token allows ${listed(held.scopes)}`
  return bad({
    cause: 'scope_missing',
    detail: `The call needs ${wanted}${has}`,
    cure:
      missing.length === 0
        ? 'Name the scopes in the WWW-Authenticate of the 403: scope="…".'
        : `Get a token that also allows ${listed(missing)}.`,
    ...(missing.length === 0 ? {} : { signIn: { scopes: missing } }),
  })
}

function listed(scopes: readonly string[]): string {
  return scopes.length === 0 ? 'nothing' : scopes.join(' ')
}
