import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'

/**
 * On every answer. There is no `form-action`: browsers apply it to where a form leads in the end as well, and that is the
 * client that the person signs in for, at any origin or scheme.
 */
export function setAnswerHeaders(response: ServerResponse, isHttps: boolean): string {
  const requestId = randomUUID()
  const headers = {
    'x-request-id': requestId,
    'content-security-policy': contentSecurityPolicy,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'cache-control': 'no-store',
    ...(isHttps ? { 'strict-transport-security': 'max-age=31536000' } : {}),
  }
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  return requestId
}

const contentSecurityPolicy = [
  `default-src 'none'`,
  // Where the provider answers with a form that sends itself, it puts the hash of that one script here.
  `script-src 'none'`,
  `style-src 'self'`,
  `img-src 'self'`,
  `base-uri 'none'`,
  `frame-ancestors 'none'`,
].join('; ')

/**
 * The provider lets browsers of any origin call its other endpoints, but not this one, where clients in a browser begin.
 * Says whether the request is answered by that.
 */
export function allowRegistrationFromPages(
  { method, headers }: IncomingMessage,
  response: ServerResponse,
): boolean {
  response.setHeader('access-control-allow-origin', '*')
  if (method !== 'OPTIONS') return false
  const asked = headers['access-control-request-headers']
  response.setHeader('access-control-allow-methods', 'POST')
  if (typeof asked === 'string') response.setHeader('access-control-allow-headers', asked)
  response.setHeader('access-control-max-age', '3600')
  response.writeHead(204).end()
  return true
}
