import type { FastifyRequest } from 'fastify'
import type { Admission } from '../auth/admission.ts'
import type { Caller } from '../auth/caller.ts'
import type { CallerAuthenticator } from '../auth/caller-authenticator.ts'
import type { CompiledScopes } from '../auth/scopes.ts'
import { needsSecondLook } from '../auth/second-look.ts'
import { Failure } from '../failure/failure.ts'
import type { ModelCall } from './model-call.ts'
import type { ModelTable } from './model-table.ts'
import { matchesName } from './name-pattern.ts'

export interface GateOptions {
  readonly authenticator: CallerAuthenticator
  readonly publicUrl: string
  readonly scopes: CompiledScopes
  readonly admission?: Admission | undefined
  /** Where a request is a call of one of these. */
  readonly models?: ModelTable
}

/** Throws or rejects what may not come in. */
export interface Gate {
  /**
   * Before the body is read: who is calling, whether they may do this, and whether now. There is mostly nothing to wait for
   * when the credential is remembered.
   */
  readonly admit: (request: FastifyRequest, call: ModelCall) => Promise<void> | undefined
  /** Once more, of a request that was admitted; it is not counted again. */
  readonly confirm: (request: FastifyRequest, call: ModelCall) => Promise<void>
}

export function createGate({ authenticator, publicUrl, scopes, admission, models }: GateOptions): Gate {
  function admit(caller: Caller, call: ModelCall): Promise<void> | undefined {
    call.caller = caller
    const refused = refusalOf(caller, call)
    if (refused === undefined) call.model = models?.find(call.name)
    // By its own name: a limit is not passed by calling an alias. What is refused is counted too, but for no model.
    const target = call.model && ({ kind: 'model', name: call.model.name } as const)
    const counted = admission?.request(caller.principal, target)
    if (refused === undefined) return counted
    if (counted === undefined) throw refused
    return counted.then(() => Promise.reject(refused))
  }

  function refusalOf(caller: Caller, call: ModelCall): Failure | undefined {
    if (!scopes.isSatisfied(caller.principal.scopes, { allOf: [], anyOf: call.scopes }))
      return new Failure('forbidden', 'the credential lacks the scope that this needs', {
        reason: 'insufficient_scope',
      })
    return models === undefined ? undefined : modelRefusal(caller, call.name)
  }

  function identify(
    { raw }: FastifyRequest,
    call: ModelCall,
    isSecondLook: boolean,
  ): Caller | Promise<Caller> {
    const { headers, rawHeaders, url = '', method = 'POST' } = raw
    const mark = url.indexOf('?')
    return authenticator.authenticate({
      method,
      url: publicUrl + (mark === -1 ? url : url.slice(0, mark)),
      headers,
      rawHeaders,
      query: mark === -1 ? '' : url.slice(mark),
      from: call.from,
      isSecondLook,
    })
  }

  return {
    admit: (request, call) => {
      const found = identify(request, call, false)
      if (found instanceof Promise) return found.then((caller) => admit(caller, call))
      return admit(found, call)
    },
    confirm: async (request, call) => {
      const caller = await identify(request, call, true)
      call.caller = caller
      const refused = refusalOf(caller, call)
      if (refused !== undefined) throw refused
    },
  }
}

/** When a body took its time; who showed no credential has none to look at again. */
export function confirmLate(gate: Gate, request: FastifyRequest): Promise<void> | undefined {
  const { modelCall: call } = request
  if (call?.caller === undefined || !needsSecondLook(call.startedAt, performance.now())) return undefined
  return gate.confirm(request, call)
}

export function refuseModel(caller: Caller, name: string): void {
  const refused = modelRefusal(caller, name)
  if (refused !== undefined) throw refused
}

/** A key may be made for some models only; what it may not call it cannot find out about. */
function modelRefusal({ models }: Caller, name: string): Failure | undefined {
  if (models === undefined || models.some((pattern) => matchesName(pattern, name))) return undefined
  return new Failure('forbidden', `this API key may not be used for the model ${name}`, {
    reason: 'model_not_allowed',
  })
}
