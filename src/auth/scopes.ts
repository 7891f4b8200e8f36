/** What a call needs; with both lists empty any valid token will do. */
export interface ScopeNeed {
  readonly allOf: readonly string[]
  readonly anyOf: readonly string[]
}

export interface ScopeRules {
  /** A scope and what it includes: `{ 'notes:write': ['notes:read'] }`, through as many steps as it takes. */
  readonly includes: Readonly<Record<string, readonly string[]>>
}

export interface CompiledScopes {
  readonly isSatisfied: (held: ReadonlySet<string>, need: ScopeNeed) => boolean
  /** What to ask the authorization server for, all at once: the first of `anyOf` stands for the others. */
  readonly challengeScopes: (need: ScopeNeed) => readonly string[]
}

/** A held `notes:*` covers every scope that begins with `notes:`; a bare `*` covers nothing but itself. */
export function compileScopes(rules: ScopeRules): CompiledScopes {
  const includers = invert(rules.includes)
  const known = new Map<string, readonly string[]>()

  function grantorsOf(scope: string): readonly string[] {
    const found = known.get(scope)
    if (found !== undefined) return found
    if (known.size >= mostKnown) known.clear()
    const grantors = findGrantors(scope, includers)
    known.set(scope, grantors)
    return grantors
  }

  function isHeld(held: ReadonlySet<string>, scope: string): boolean {
    return held.has(scope) || grantorsOf(scope).some((grantor) => held.has(grantor))
  }

  return {
    isSatisfied: (held, need) =>
      need.allOf.every((scope) => isHeld(held, scope)) &&
      (need.anyOf.length === 0 || need.anyOf.some((scope) => isHeld(held, scope))),
    challengeScopes: (need) => {
      const asked = new Set(need.allOf)
      const isCovered = need.anyOf.some((scope) => isHeld(asked, scope))
      const [first] = need.anyOf
      if (!isCovered && first !== undefined) asked.add(first)
      asked.delete(neverAsked)
      return [...asked]
    },
  }
}

/** A resource server does not ask for refresh tokens: that is between client and authorization server. */
const neverAsked = 'offline_access'
const mostKnown = 10_000

function invert(includes: ScopeRules['includes']): ReadonlyMap<string, readonly string[]> {
  const includers = new Map<string, string[]>()
  for (const [scope, included] of Object.entries(includes)) {
    for (const one of included) includers.set(one, [...(includers.get(one) ?? []), scope])
  }
  return includers
}

/** Every scope whose holder may do what `scope` allows; a set visits each one once, so circles end. */
function findGrantors(scope: string, includers: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const grantors = new Set([scope])
  for (const grantor of grantors) {
    for (const wider of [...wildcardsOver(grantor), ...(includers.get(grantor) ?? [])]) grantors.add(wider)
  }
  return [...grantors]
}

function wildcardsOver(scope: string): readonly string[] {
  const parts = scope.split(':')
  return parts.slice(1).map((_, index) => `${parts.slice(0, index + 1).join(':')}:*`)
}
