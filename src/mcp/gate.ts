import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { Authenticator } from '../auth/authenticator.ts'
import type { Principal } from '../auth/principal.ts'
import type { CompiledScopes } from '../auth/scopes.ts'
import type { Exchange } from './exchange.ts'
import { decodeHeader, headerText } from './header-text.ts'
import { modernRevision } from './revisions.ts'
import { refuseTool } from './tool-access.ts'
import type { ToolSet } from './tool-set.ts'

export interface GateOptions {
  readonly authenticator: Authenticator
  readonly resource: string
  readonly tools: ToolSet
  readonly scopes: CompiledScopes
}

/** Throws or rejects what may not come in; there is nothing to wait for when the token is remembered. */
export type Gate = (request: FastifyRequest, exchange: Exchange) => Promise<void> | undefined

/** Before the body is read: who is calling, and whether the tool that the headers name is allowed to them. */
export function createGate(options: GateOptions): Gate {
  const { authenticator, resource } = options
  return (request, exchange) => {
    const { headers, rawHeaders, url = '' } = request.raw
    const mark = url.indexOf('?')
    const query = mark === -1 ? '' : url.slice(mark)
    const found = authenticator.authenticate({ method: 'POST', url: resource, headers, rawHeaders, query })
    if (found instanceof Promise)
      return found.then((principal) => admit(principal, headers, { exchange, options }))
    admit(found, headers, { exchange, options })
    return undefined
  }
}

interface Admission {
  readonly exchange: Exchange
  readonly options: GateOptions
}

function admit(principal: Principal, headers: IncomingHttpHeaders, { exchange, options }: Admission): void {
  exchange.principal = principal
  if (headers['mcp-method'] !== 'tools/call' || headers['mcp-protocol-version'] !== modernRevision) return
  const name = headerText(headers['mcp-name'])
  const tool = name === undefined ? undefined : options.tools.find(decodeHeader(name) ?? name)
  if (tool === undefined) return
  exchange.method = 'tools/call'
  exchange.revision = modernRevision
  exchange.tool = tool
  refuseTool(tool, principal, options.scopes)
}
