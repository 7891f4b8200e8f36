import {
  InsufficientScopeError,
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
} from '@modelcontextprotocol/client'
import { Failure } from '../failure/failure.ts'
import { brokenOff } from './source-upstream-sending.ts'

/** What a caller reads about a call that failed; above all, whether it is safe to make it again. */
export function failureText(source: string, cause: unknown): string {
  if (cause instanceof ProtocolError) return protocolErrorText(source, cause)
  if (cause instanceof Failure && cause.code === 'too-large') return `the answer of ${source} is too large`
  if (isUnsent(cause)) return unreachableText(source)
  const what = isUnreadable(cause)
    ? 'answered with something that cannot be read'
    : 'broke off before it answered'
  return `${source} ${what}; the call may have been done all the same, so look before you make it again`
}

export function unreachableText(source: string): string {
  return `${source} cannot be reached at the moment; try again later`
}

/** What the upstream itself said is wrong with the input is for the caller; other words of it may tell of its insides. */
function protocolErrorText(source: string, error: ProtocolError): string {
  if (error.code !== ProtocolErrorCode.InvalidParams)
    return `${source} could not run the tool (${error.code})`
  return `${source} refused the input: ${error.message.replace(/\p{Cc}+/gu, ' ').slice(0, shownCharacters)}`
}

const shownCharacters = 500

/** In doubt a call was sent. */
function isUnsent(cause: unknown): boolean {
  if (cause instanceof Failure) return cause.reason !== brokenOff
  if (cause instanceof InsufficientScopeError) return true
  if (cause instanceof SdkHttpError) return isRefusal(cause.status)
  if (cause instanceof SdkError) return cause.code === SdkErrorCode.NotConnected
  return cause instanceof Error && (hasCode(cause, unsent) || isUnsent(cause.cause))
}

/** Of the server errors only this one says that nothing was begun. */
function isRefusal(status: number | undefined): boolean {
  return status !== undefined && ((status >= 400 && status < 500) || status === 503)
}

const unsent =
  /^(?:E(?:CONNREFUSED|NOTFOUND|AI_AGAIN|HOSTUNREACH|NETUNREACH)|UND_ERR_CONNECT_TIMEOUT|ERR_TLS_.*|CERT_.*|.*_CERT.*)$/

function hasCode(error: Error, pattern: RegExp): boolean {
  return 'code' in error && typeof error.code === 'string' && pattern.test(error.code)
}

function isUnreadable(cause: unknown): boolean {
  if (cause instanceof SdkError) return unreadable.has(cause.code)
  return cause instanceof SyntaxError || (cause instanceof Error && cause.name.endsWith('ZodError'))
}

const unreadable: ReadonlySet<string> = new Set([
  SdkErrorCode.ClientHttpUnexpectedContent,
  SdkErrorCode.InvalidResult,
  SdkErrorCode.UnsupportedResultType,
])
