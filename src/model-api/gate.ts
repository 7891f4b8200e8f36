import type { FastifyRequest } from 'fastify'
import type { Caller } from '../auth/caller.ts'
import type { CallerAuthenticator } from '../auth/caller-authenticator.ts'
import type { CompiledScopes } from '../auth/scopes.ts'
import { Failure } from '../failure/failure.ts'
import type { ModelCall } from './model-call.ts'
import { matchesName } from './name-pattern.ts'

export interface GateOptions {
  readonly authenticator: CallerAuthenticator
  readonly publicUrl: string
  readonly scopes: CompiledScopes
}

/** Throws or rejects what may not come in; there is nothing to wait for when the credential is remembered. */
export type Gate = (request: FastifyRequest, call: ModelCall) => Promise<void> | undefined

/** Before the body is read: who is calling, and whether they may do this. */
export function createGate({ authenticator, publicUrl, scopes }: GateOptions): Gate {
  function admit(caller: Caller, call: ModelCall): void {
    call.caller = caller
    if (!scopes.isSatisfied(caller.principal.scopes, { allOf: [], anyOf: call.scopes }))
      throw new Failure('forbidden', 'the credential lacks the scope that this needs', {
        reason: 'insufficient_scope',
      })
  }

  return (request, call) => {
    const { headers, rawHeaders, url = '', method = 'POST' } = request.raw
    const mark = url.indexOf('?')
    const found = authenticator.authenticate({
      method,
      url: publicUrl + (mark === -1 ? url : url.slice(0, mark)),
      headers,
      rawHeaders,
      query: mark === -1 ? '' : url.slice(mark),
      address: call.address,
    })
    if (found instanceof Promise) return found.then((caller) => admit(caller, call))
    admit(found, call)
    return undefined
  }
}

/** A key may be made for some models only; what it may not call it cannot find out about. */
export function refuseModel({ models }: Caller, name: string): void {
  if (models === undefined || models.some((pattern) => matchesName(pattern, name))) return
  throw new Failure('forbidden', `this API key may not be used for the model ${name}`, {
    reason: 'model_not_allowed',
  })
}
