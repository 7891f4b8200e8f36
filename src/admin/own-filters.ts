import { Failure } from '../failure/failure.ts'
import type { Owner } from './operation.ts'

interface Asked {
  readonly principal?: string | undefined
  readonly issuer?: string | undefined
}

/** Whose records a list shows: those that were asked for, or the caller's own where the caller may see no others. */
export function ownFilters(owner: Owner | undefined, { principal, issuer }: Asked): Asked {
  if (owner === undefined) return { principal, issuer }
  if ((principal ?? owner.principal) === owner.principal && (issuer ?? owner.issuer) === owner.issuer)
    return owner
  throw new Failure('forbidden', 'insufficient scope: own:read shows your own records alone', {
    reason: 'insufficient_scope',
  })
}

/** No index begins with it: all there is might have to be looked at for one page. */
export function refuseLoneIssuer({ principal, issuer }: Asked): void {
  if (issuer === undefined || principal !== undefined) return
  throw new Failure('invalid-request', 'issuer is understood only beside a principal', {
    field: 'issuer',
    recovery: 'fix_request',
  })
}
