import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { Admission } from '../auth/admission.ts'
import type { Authenticator } from '../auth/authenticator.ts'
import type { Principal } from '../auth/principal.ts'
import type { CompiledScopes } from '../auth/scopes.ts'
import type { Exchange } from './exchange.ts'
import { decodeHeader, headerText } from './header-text.ts'
import { modernRevision } from './revisions.ts'
import { refuseTool } from './tool-access.ts'
import type { PreparedTool, ToolSet } from './tool-set.ts'

export interface GateOptions {
  readonly authenticator: Authenticator
  readonly resource: string
  readonly tools: ToolSet
  readonly scopes: CompiledScopes
  readonly admission?: Admission | undefined
}

/** Throws or rejects what may not come in. */
export interface Gate {
  /**
   * Before the body is read: who is calling, whether now, and whether the tool that the headers name is allowed to them.
   * There is mostly nothing to wait for when the token is remembered.
   */
  readonly admit: (request: FastifyRequest, exchange: Exchange) => Promise<void> | undefined
  /** Once more, of a request that was admitted; it is not counted again. */
  readonly confirm: (request: FastifyRequest, exchange: Exchange) => Promise<void>
}

export function createGate(options: GateOptions): Gate {
  const { authenticator, resource, scopes } = options

  function identify({ raw }: FastifyRequest, isSecondLook: boolean): Principal | Promise<Principal> {
    const { headers, rawHeaders, url = '' } = raw
    const mark = url.indexOf('?')
    const query = mark === -1 ? '' : url.slice(mark)
    return authenticator.authenticate({
      method: 'POST',
      url: resource,
      headers,
      rawHeaders,
      query,
      isSecondLook,
    })
  }

  return {
    admit: (request, exchange) => {
      const { headers } = request.raw
      const found = identify(request, false)
      if (found instanceof Promise)
        return found.then((principal) => admit(principal, headers, { exchange, options }))
      return admit(found, headers, { exchange, options })
    },
    confirm: async (request, exchange) => {
      const principal = await identify(request, true)
      exchange.principal = principal
      if (exchange.tool !== undefined) refuseTool(exchange.tool, principal, scopes)
    },
  }
}

interface Admitted {
  readonly exchange: Exchange
  readonly options: GateOptions
}

function admit(
  principal: Principal,
  headers: IncomingHttpHeaders,
  { exchange, options }: Admitted,
): Promise<void> | undefined {
  exchange.principal = principal
  const tool = namedTool(headers, options.tools)
  if (tool !== undefined) {
    exchange.method = 'tools/call'
    exchange.revision = modernRevision
    exchange.tool = tool
  }
  const counted = options.admission?.request(principal)
  if (tool === undefined) return counted
  if (counted !== undefined) return counted.then(() => refuseTool(tool, principal, options.scopes))
  refuseTool(tool, principal, options.scopes)
  return undefined
}

function namedTool(headers: IncomingHttpHeaders, tools: ToolSet): PreparedTool | undefined {
  if (headers['mcp-method'] !== 'tools/call' || headers['mcp-protocol-version'] !== modernRevision)
    return undefined
  const name = headerText(headers['mcp-name'])
  return name === undefined ? undefined : tools.find(decodeHeader(name) ?? name)
}
