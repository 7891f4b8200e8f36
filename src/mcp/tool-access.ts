import type { Principal } from '../auth/principal.ts'
import type { CompiledScopes } from '../auth/scopes.ts'
import { Failure } from '../failure/failure.ts'
import type { PreparedTool } from './tool-set.ts'

/** Throws unless this principal may call this tool. */
export function refuseTool(prepared: PreparedTool, principal: Principal, scopes: CompiledScopes): void {
  if (!scopes.isSatisfied(principal.scopes, prepared.needs))
    throw new Failure('forbidden', `${prepared.name} needs ${prepared.challenge.join(' ')}`, {
      reason: 'insufficient_scope',
    })
  if (prepared.tool.requiresDpop && principal.dpopKeyThumbprint === undefined)
    throw new Failure(
      'unauthenticated',
      `${prepared.name} takes only a token that is bound to a key (DPoP)`,
      {
        reason: 'dpop_required',
      },
    )
}
