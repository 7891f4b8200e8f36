import type { FastifyRequest } from 'fastify'
import type { FindCallerAddress } from '../config/caller-address.ts'
import type { Framing } from './errors-method.ts'
import type { ModelCall } from './model-call.ts'

export interface CallRules {
  /** As the path has it: `v1beta`. */
  readonly version: string
  /** Any of these is enough. */
  readonly scopes: readonly string[]
  readonly callerAddress: FindCallerAddress
}

/** What a request asks for, out of its path and query alone, and where it came from. */
export function readCall(request: FastifyRequest, rules: CallRules, method?: string): ModelCall {
  const url = request.raw.url ?? ''
  const mark = url.indexOf('?')
  const path = mark === -1 ? url : url.slice(0, mark)
  const start = path.indexOf(`/${rules.version}/`) + rules.version.length + 2
  const slash = path.lastIndexOf('/') + 1
  // Decoded by itself, so that an encoded slash cannot make one name look like another.
  const last = decoded(path.slice(slash))
  const colon = method === undefined ? last.lastIndexOf(':') : -1
  const name = colon === -1 ? last : last.slice(0, colon)
  const operation = method ?? (colon === -1 ? '' : last.slice(colon + 1))
  return {
    requestId: request.id,
    startedAt: performance.now(),
    version: rules.version,
    operation,
    resource: decoded(path.slice(start, slash)) + name,
    name,
    framing: framingOf(operation, mark === -1 ? '' : url.slice(mark + 1)),
    from: () => rules.callerAddress(request.raw),
    scopes: rules.scopes,
    caller: undefined,
    model: undefined,
    failure: undefined,
    tokensIn: undefined,
    tokensOut: undefined,
    tokensGuessed: undefined,
    isTold: false,
  }
}

function decoded(text: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function framingOf(operation: string, query: string): Framing {
  if (operation !== 'streamGenerateContent') return 'whole'
  if (query === '' || query === 'alt=sse') return query === '' ? 'array' : 'sse'
  const parameters = new URLSearchParams(query)
  return (parameters.get('alt') ?? parameters.get('$alt')) === 'sse' ? 'sse' : 'array'
}
