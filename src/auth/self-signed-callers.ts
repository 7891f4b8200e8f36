import { createBoundedMemory } from './bounded-memory.ts'
import type { Caller } from './caller.ts'
import type { CompactJwt } from './compact-jwt.ts'
import { canonicalResource } from './resource-identifier.ts'
import type { SelfSigned, SelfSignedCheck } from './self-signed-check.ts'
import { badSelfSigned } from './self-signed-claims.ts'
import type { PresentedToken } from './verified-token.ts'

/** What a request asks for. */
interface RequestTarget {
  /** Absolute, without the query. */
  readonly url: string
  /** With or without `?`. */
  readonly query: string
}

export interface SelfSignedCallers {
  /** Who showed this token less than a second ago; fails when the token is for another address. */
  readonly remembered: (tokenId: string, target: RequestTarget) => Caller | undefined
  readonly check: (
    token: PresentedToken,
    jwt: CompactJwt,
    target: RequestTarget,
  ) => Promise<SelfSigned & { readonly caller: Caller }>
}

export interface SelfSignedCallersOptions {
  readonly verify: SelfSignedCheck
  /** What `aud` may be for every request; else it must be the address of the request itself. */
  readonly audiences: readonly string[]
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Remembers who signed a token, and for which address, under the SHA-256 of the whole of it. */
export function createSelfSignedCallers(options: SelfSignedCallersOptions): SelfSignedCallers {
  const { verify, now } = options
  const general = new Set(options.audiences.map(canonicalResource))
  const memory = createBoundedMemory<SelfSigned & { readonly caller: Caller }>(mostRemembered)

  function admit<Known extends SelfSigned>(known: Known, target: RequestTarget): Known {
    if (known.audience === undefined) return known
    const audience = canonicalResource(known.audience)
    if (general.has(audience) || isFor(audience, target)) return known
    throw badSelfSigned('it is for another address ("aud")')
  }

  return {
    remembered: (tokenId, target) => {
      const known = memory.get(tokenId)
      if (known === undefined || now() < known.since || now() >= known.until) return undefined
      return admit(known, target).caller
    },
    check: async (token, jwt, target) => {
      const verified = await verify(token, jwt)
      const known = { ...verified, caller: { principal: verified.principal, models: undefined } }
      memory.set(token.id, known)
      return admit(known, target)
    },
  }
}

const mostRemembered = 10_000

/** Google's JS client without scopes names the whole URL of its request, query and all. */
function isFor(audience: string, { url, query }: RequestTarget): boolean {
  if (audience === canonicalResource(url)) return true
  const plain = query.startsWith('?') ? query.slice(1) : query
  return plain !== '' && audience === canonicalResource(`${url}?${plain}`)
}
