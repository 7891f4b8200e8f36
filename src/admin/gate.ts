import type { FastifyRequest } from 'fastify'
import type { Admission } from '../auth/admission.ts'
import type { Authenticator } from '../auth/authenticator.ts'
import type { Principal } from '../auth/principal.ts'
import { compileScopes } from '../auth/scopes.ts'
import { Failure } from '../failure/failure.ts'
import type { AdminExchange } from './exchange.ts'
import { type Operation, type Owner, scopesOf } from './operation.ts'

export interface GateOptions {
  readonly authenticator: Authenticator
  readonly publicUrl: string
  readonly admission?: Admission | undefined
}

export interface Gate {
  /** Before the body is read: who is calling, and whether they may do this. */
  readonly admit: (request: FastifyRequest, exchange: AdminExchange) => Promise<void>
  /** Once more, of a request that was admitted; it is not counted again. */
  readonly confirm: (request: FastifyRequest, exchange: AdminExchange) => Promise<void>
  /** Who the token of a request names at this moment. */
  readonly identify: (request: FastifyRequest) => Principal | Promise<Principal>
}

export function createGate({ authenticator, publicUrl, admission }: GateOptions): Gate {
  function identify({ raw }: FastifyRequest, isSecondLook = false): Principal | Promise<Principal> {
    const { headers, rawHeaders, url = '', method = 'GET' } = raw
    const mark = url.indexOf('?')
    return authenticator.authenticate({
      method,
      url: publicUrl + (mark === -1 ? url : url.slice(0, mark)),
      headers,
      rawHeaders,
      query: mark === -1 ? '' : url.slice(mark),
      isSecondLook,
    })
  }

  return {
    identify: (request) => identify(request),
    confirm: async (request, exchange) => {
      const principal = await identify(request, true)
      exchange.principal = principal
      exchange.owner = ownerFor(exchange.operation, principal)
    },
    admit: async (request, exchange) => {
      const principal = await identify(request)
      exchange.principal = principal
      await admission?.request(principal)
      exchange.owner = ownerFor(exchange.operation, principal)
    },
  }
}

const scopes = compileScopes({ includes: {} })

/** Everyone's records for those who may see them, otherwise the caller's own. */
function ownerFor(operation: Operation, principal: Principal): Owner | undefined {
  const { scope, ownScope } = operation
  const holds = (one: string): boolean => scopes.isSatisfied(principal.scopes, { allOf: [one], anyOf: [] })
  if (holds(scope)) return undefined
  if (ownScope !== undefined && holds(ownScope))
    return { issuer: principal.issuer, principal: principal.subject }
  throw new Failure('forbidden', `insufficient scope: this needs ${scopesOf(operation).join(' or ')}`, {
    reason: 'insufficient_scope',
  })
}
