import { Failure } from '../failure/failure.ts'
import type { Exchange } from './exchange.ts'
import { parseJson } from './json-text.ts'

export type Members = Readonly<Record<string, unknown>>

/** One JSON-RPC request, or a notification where the exchange has no id. */
export interface Message {
  readonly method: string
  readonly params: Members
}

/** Notes id and method in the exchange as soon as they are known, so that a refusal can name them. */
export function readMessage(body: string, exchange: Exchange): Message {
  if (body === '') throw invalid('the body is empty; send one JSON-RPC message')
  const value = parseJson(body)
  if (Array.isArray(value)) throw invalid('batches are not taken; send one message for each request')
  if (!isMembers(value)) throw invalid('the body must be a JSON-RPC message, which is an object')
  const { id, method, params } = value
  if (typeof id === 'string' || (typeof id === 'number' && Number.isSafeInteger(id))) exchange.id = id
  else if (id !== undefined) throw invalid('id must be a string or an integer')
  if (value.jsonrpc !== '2.0') throw invalid('jsonrpc must be "2.0"')
  if (typeof method !== 'string')
    throw invalid('method must be a string; this server asks nothing, so it takes no responses')
  exchange.method = method
  if (params === undefined) return { method, params: none }
  if (!isMembers(params))
    throw new Failure('invalid-request', 'params must be an object', { reason: 'invalid_params' })
  return { method, params }
}

export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const none: Members = Object.freeze({})

function invalid(message: string): Failure {
  return new Failure('invalid-request', message, { reason: 'invalid_message' })
}
