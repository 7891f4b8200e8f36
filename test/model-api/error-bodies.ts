import assert from 'node:assert/strict'
import { ApiError } from '@google/genai'

export const service = 'generativelanguage.googleapis.com'

/** A message of `google.rpc` as it stands among the details of an error. */
export function rpc(type: string, content: object): object {
  return { '@type': `type.googleapis.com/google.rpc.${type}`, ...content }
}

export function info(reason: string, more: object = {}): object {
  return rpc('ErrorInfo', { reason, domain: 'googleapis.com', metadata: { service, ...more } })
}

/** What the official client throws. */
export async function refusalOf(asked: Promise<unknown>): Promise<ApiError> {
  try {
    await asked
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error))
    return error
  }
  throw new Error('it was not refused')
}
