import type { ServerResponse } from 'node:http'

export interface WireError {
  readonly kind: string
  readonly status: number
  readonly message: string
  readonly code?: string
  readonly param?: string
}

/** Every server has a shape of its own for errors. */
export function sendError(response: ServerResponse, error: WireError): ServerResponse {
  const headers = { 'content-type': 'application/json', ...(error.status === 429 && { 'retry-after': '7' }) }
  return response.writeHead(error.status, headers).end(JSON.stringify(errorBody(error)))
}

export function errorBody({ kind, status, message, code, param }: WireError): unknown {
  const type = types.get(status) ?? 'server_error'
  if (kind === 'openai') return { error: { message, type, param: param ?? null, code: code ?? null } }
  if (kind === 'llama') return { error: { code: status, message, type } }
  return { error: { message, type: 'BadRequestError', param: param ?? null, code: status } }
}

const types = new Map([
  [400, 'invalid_request_error'],
  [401, 'invalid_request_error'],
  [404, 'invalid_request_error'],
  [429, 'requests'],
  [503, 'unavailable_error'],
])
