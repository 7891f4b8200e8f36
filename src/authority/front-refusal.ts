import type { IncomingMessage, ServerResponse } from 'node:http'
import { errors } from 'oidc-provider'
import { Failure, type FailureCode } from '../failure/failure.ts'
import type { Log } from '../log/log.ts'
import { errorWords } from './error-words.ts'
import { sendPage } from './page.ts'
import { troublePage } from './page-message.ts'

export interface Refusal {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly requestId: string
  readonly path: string
}

/** The one place where an error of a page or endpoint of ours becomes an answer. */
export function createRefuse(log: Log): (refusal: Refusal, problem: unknown) => void {
  return ({ request, response, requestId, path }, problem) => {
    if (request.destroyed && !request.complete) {
      log.debug({ request_id: requestId, path }, 'the caller hung up')
      return
    }
    const { status, error, text } = verdictOn(problem)
    // Whoever floods us must not flood the log with stack traces.
    if (status === 503)
      log.warn({ request_id: requestId, path, reason: errorWords(problem) }, 'request refused')
    else if (status >= 500) log.error({ request_id: requestId, path, err: problem }, 'request failed')
    else log.debug({ request_id: requestId, path, status, reason: error }, 'request refused')
    if (response.headersSent) {
      response.destroy()
      return
    }
    if (problem instanceof Failure && problem.retryAfterSeconds !== undefined)
      response.setHeader('retry-after', problem.retryAfterSeconds)
    // What is left of a body that was not read must not pass for the next request.
    if (!request.complete) response.setHeader('connection', 'close')
    if ((request.headers.accept ?? '').includes('text/html'))
      sendPage(response, troublePage({ status, heading: headingOf(status), text, detail: requestId }))
    else
      response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(JSON.stringify({ error, error_description: text }))
  }
}

interface Verdict {
  readonly status: number
  readonly error: string
  readonly text: string
}

function verdictOn(problem: unknown): Verdict {
  if (problem instanceof errors.SessionNotFound)
    return {
      status: 400,
      error: problem.error,
      text: 'This sign-in has expired or was begun in another browser. Go back to the app and begin again.',
    }
  if (problem instanceof errors.OIDCProviderError && (problem.status < 500 || problem.status === 503))
    return { status: problem.status, error: problem.error, text: problem.error_description ?? problem.error }
  if (problem instanceof Failure && problem.retryAfterSeconds !== undefined)
    return { status: statuses[problem.code], error: 'temporarily_unavailable', text: problem.message }
  if (problem instanceof Failure && statuses[problem.code] < 500)
    return { status: statuses[problem.code], error: 'invalid_request', text: problem.message }
  const status = problem instanceof Failure ? statuses[problem.code] : 500
  return { status, error: 'server_error', text: 'Something went wrong here. Try again in a moment.' }
}

function headingOf(status: number): string {
  return status >= 500 ? 'That did not work' : 'This request cannot be answered'
}

const statuses = {
  'invalid-request': 400,
  unauthenticated: 401,
  forbidden: 403,
  'not-found': 404,
  'not-allowed': 405,
  conflict: 409,
  'too-large': 413,
  'unsupported-media': 415,
  misdirected: 421,
  'limit-exceeded': 429,
  unavailable: 503,
  timeout: 504,
  misconfigured: 500,
  internal: 500,
} as const satisfies Record<FailureCode, number>
