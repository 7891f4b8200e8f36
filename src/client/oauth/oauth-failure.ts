import * as oauth from 'oauth4webapi'
import { ClientError } from '../client-error.ts'
import { codeWord, printable } from './server-words.ts'

/** What was tried, and the error that says it failed. */
export interface Step {
  readonly code: string
  /** Completed by the server's reason, such as "https://as.example refused the token". */
  readonly message: string
}

/** Runs one step of the protocol; whatever goes wrong in it becomes an error of the client. */
export async function step<Value>({ code, message }: Step, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (cause) {
    if (cause instanceof ClientError) throw cause
    const { status, reason, words } = told(cause)
    const why = [reason, words].filter((part) => part !== undefined).join(', ')
    throw new ClientError(code, why === '' ? message : `${message}: ${why}`, {
      ...(status === undefined ? {} : { status }),
      reason,
      cause,
    })
  }
}

interface Told {
  readonly status?: number
  readonly reason?: string | undefined
  readonly words?: string | undefined
}

function told(cause: unknown): Told {
  if (cause instanceof oauth.ResponseBodyError)
    return { status: cause.status, reason: codeWord(cause.error), words: shown(cause.error_description) }
  if (cause instanceof oauth.AuthorizationResponseError)
    return { reason: codeWord(cause.error), words: shown(cause.error_description) }
  if (cause instanceof oauth.WWWAuthenticateChallengeError) {
    const [parameters] = cause.cause.map((challenge) => challenge.parameters)
    return {
      status: cause.status,
      reason: codeWord(parameters?.error),
      words: shown(parameters?.error_description),
    }
  }
  if (cause instanceof oauth.OperationProcessingError && cause.cause instanceof Response)
    return { status: cause.cause.status, words: `status ${cause.cause.status}` }
  return cause instanceof Error ? { words: printable(cause.message) } : {}
}

function shown(words: string | undefined): string | undefined {
  return words === undefined ? undefined : printable(words)
}
