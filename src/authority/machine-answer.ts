import type { ServerResponse } from 'node:http'
import { Failure, type FailureCode } from '../failure/failure.ts'
import type { Log } from '../log/log.ts'
import { errorWords } from './error-words.ts'
import type { Exchange, Route } from './route.ts'

/** The errors of RFC 6749, section 5.2, of RFC 8707, and the two for what is our own fault. */
export type OAuthError =
  | 'invalid_request'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'invalid_target'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'temporarily_unavailable'
  | 'server_error'

export function refusal(error: OAuthError, description: string, cause?: unknown): Failure {
  return new Failure(errors[error][1], description, { reason: error, cause })
}

const errors = {
  invalid_request: [400, 'invalid-request'],
  invalid_grant: [400, 'invalid-request'],
  invalid_scope: [400, 'invalid-request'],
  invalid_target: [400, 'invalid-request'],
  unauthorized_client: [400, 'invalid-request'],
  unsupported_grant_type: [400, 'invalid-request'],
  temporarily_unavailable: [503, 'unavailable'],
  server_error: [500, 'internal'],
} as const satisfies Record<OAuthError, readonly [number, FailureCode]>

/** What the token endpoints for machines answer. */
export interface TokenAnswer {
  readonly access_token: string
  readonly issued_token_type?: string
  readonly token_type: 'Bearer'
  readonly expires_in: number
  readonly scope: string
}

/** A handler of a token endpoint: its refusals become the errors that OAuth clients read. */
export function answeringTokens(
  log: Log,
  grant: (exchange: Exchange) => Promise<TokenAnswer>,
): Route['handle'] {
  return async (exchange) => {
    const { status, body } = await grant(exchange).then(
      (answer) => ({ status: 200, body: answer }),
      (problem: unknown) => refusalAnswer(log, problem),
    )
    send(exchange.response, status, body)
  }
}

interface RefusalAnswer {
  readonly status: number
  readonly body: { readonly error: OAuthError; readonly error_description: string }
}

function refusalAnswer(log: Log, problem: unknown): RefusalAnswer {
  const error = errorOf(problem)
  const description = problem instanceof Failure ? problem.message : 'the authorization server has failed'
  if (error === 'server_error') log.error({ err: problem }, 'a machine was refused for a fault of ours')
  else log.info({ error, reason: errorWords(problem) }, 'a machine was refused a token')
  return {
    status: errors[error][0],
    body: { error, error_description: error === 'server_error' ? ownFault : printable(description) },
  }
}

const ownFault = 'the authorization server has failed; its log says why'

function errorOf(problem: unknown): OAuthError {
  if (!(problem instanceof Failure)) return 'server_error'
  const { reason } = problem
  if (reason !== undefined && isOAuthError(reason)) return reason
  return problem.code === 'unavailable' ? 'temporarily_unavailable' : 'server_error'
}

function isOAuthError(text: string): text is OAuthError {
  return Object.hasOwn(errors, text)
}

/** The characters that RFC 6749, section 5.2, allows in a description. */
function printable(text: string): string {
  return text.replaceAll(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '?')
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    pragma: 'no-cache',
  })
  response.end(JSON.stringify(body))
}
