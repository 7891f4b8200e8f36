import type * as Sdk from '@modelcontextprotocol/client'
import { ClientError } from '../client-error.ts'
import { scopeList } from '../oauth/challenge.ts'
import { codeWord, printable } from '../oauth/server-words.ts'

export interface Attempt {
  /** Completes "could not …". */
  readonly what: string
  readonly position?: string | null
}

/** An error of the official client, which is loaded only when it is needed, as the one error of this client. */
export function toolError(sdk: typeof Sdk, cause: unknown, { what, position }: Attempt): ClientError {
  const own = chain(cause).find((error) => error instanceof ClientError)
  if (own !== undefined && position === undefined) return own
  const { code, message, status, reason, scopes, resource } = own ?? told(sdk, cause, what)
  return new ClientError(code, message, {
    ...(position === undefined ? {} : { position }),
    ...(status === undefined ? {} : { status }),
    reason,
    scopes,
    resource,
    cause,
  })
}

interface Told {
  readonly code: string
  readonly message: string
  readonly status?: number | undefined
  readonly reason?: string | undefined
  readonly scopes?: readonly string[] | undefined
  readonly resource?: string | undefined
}

function told(sdk: typeof Sdk, cause: unknown, what: string): Told {
  const could = `could not ${what}`
  if (cause instanceof sdk.InsufficientScopeError) {
    const scopes = scopeList(cause.requiredScope)
    const words = printable(cause.errorDescription ?? `the token must allow ${scopes.join(' ')}`)
    const message = `${could}: ${words}`
    return { code: 'insufficient_scope', status: 403, reason: 'insufficient_scope', scopes, message }
  }
  if (cause instanceof sdk.ProtocolError) {
    const message = `${could}: ${printable(cause.message)}`
    return { code: rpcCode(cause.code, cause.data), reason: String(cause.code), message }
  }
  if (cause instanceof sdk.SdkHttpError) return httpError(cause.status, cause.data.text, could)
  const network = chain(cause).find((error) => error instanceof TypeError)
  if (network !== undefined)
    return { code: 'network', message: `${could}: there was no complete answer; is the server running?` }
  const code = cause instanceof sdk.SdkError ? cause.code.toLowerCase() : 'unexpected_answer'
  const words = cause instanceof Error ? printable(cause.message) : 'the answer makes no sense'
  return { code: sdkCodes.get(code) ?? code, message: `${could}: ${words}` }
}

const sdkCodes: ReadonlyMap<string, string> = new Map([
  ['request_timeout', 'timeout'],
  ['unsupported_result_type', 'input_required'],
  ['invalid_result', 'unexpected_answer'],
  ['client_http_unexpected_content', 'unexpected_answer'],
])

/** The server's own word for it, or else the name of the JSON-RPC code. */
function rpcCode(code: number, data: unknown): string {
  return codeWord(member(data, 'reason')) ?? rpcCodes.get(code) ?? `rpc_${code}`
}

const rpcCodes: ReadonlyMap<number, string> = new Map([
  [-32700, 'parse_error'],
  [-32600, 'invalid_request'],
  [-32601, 'unknown_method'],
  [-32602, 'invalid_params'],
  [-32603, 'internal_error'],
  [-32020, 'header_mismatch'],
  [-32021, 'missing_capability'],
  [-32022, 'unsupported_revision'],
])

function httpError(status: number, body: unknown, could: string): Told {
  const error = member(parsed(body), 'error')
  const words = member(error, 'message') ?? member(parsed(body), 'error_description')
  const why = typeof words === 'string' ? `, ${printable(words)}` : ''
  const reason = codeWord(member(member(error, 'data'), 'reason')) ?? codeWord(error)
  const code = status === 401 ? 'sign_in_required' : `http_${status}`
  return { code, status, reason, message: `${could}: the server answered ${status}${why}` }
}

function parsed(body: unknown): unknown {
  try {
    return typeof body === 'string' ? JSON.parse(body) : undefined
  } catch {
    return undefined
  }
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined
}

/** An error and its causes. */
function chain(error: unknown): readonly unknown[] {
  const found: unknown[] = []
  for (let next: unknown = error; next instanceof Error && found.length < 10; next = next.cause)
    found.push(next)
  return found
}
