import type { Principal } from '../auth/principal.ts'
import { compileScopes } from '../auth/scopes.ts'
import { ownScopes } from '../config/own-scopes.ts'
import { Failure } from '../failure/failure.ts'

/** Nobody gives a right over this API that they do not hold: else who may make accounts could make one that may do anything. */
export function refuseGiving(given: readonly string[], { scopes: held }: Pick<Principal, 'scopes'>): void {
  const scopes = new Set(given)
  const missing = guarded.filter((scope) => covers(scopes, scope) && !covers(held, scope))
  if (missing.length === 0) return
  const wrong = `insufficient scope: giving an account ${missing.join(', ')}, or a key to one that has it, takes a token that has it too`
  throw new Failure('forbidden', wrong, { reason: 'insufficient_scope', field: 'scopes' })
}

const guarded = ownScopes('api', '')
  .filter(({ isAdminOnly }) => isAdminOnly)
  .map(({ name }) => name)

const rules = compileScopes({ includes: {} })

/** Also by `keys:*`. */
function covers(scopes: ReadonlySet<string>, one: string): boolean {
  return rules.isSatisfied(scopes, { allOf: [one], anyOf: [] })
}
