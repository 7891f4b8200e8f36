import { printable } from '../oauth/server-words.ts'
import { textUpTo } from '../response-text.ts'
import { isJsonObject, type JsonObject } from '../wire-reader.ts'
import type { Examination } from './examination.ts'

/** An answer, read in full and never redirected. */
export interface Answer {
  readonly url: URL
  readonly response: Response
  readonly status: number
  readonly body: JsonObject | undefined
  /** How far the clock of the server is ahead of ours, in milliseconds, as far as its `Date` tells. */
  readonly aheadMs: number | undefined
}

export interface Question {
  readonly url: URL
  readonly signal: AbortSignal
  readonly init?: RequestInit
}

export async function probe({ fetch, now }: Examination, question: Question): Promise<Answer> {
  const { url, signal, init = {} } = question
  const startedAt = now()
  const headers = new Headers(init.headers)
  if (!headers.has('accept')) headers.set('accept', 'application/json')
  const response = await fetch(url, { ...init, headers, redirect: 'manual', signal })
  const aheadMs = aheadOf(response, (startedAt + now()) / 2)
  return { url, response, status: response.status, body: await jsonOf(response), aheadMs }
}

/** An address without what may be secret in it. */
export function shown(url: URL | string): string {
  const parsed = typeof url === 'string' ? URL.parse(url) : url
  return printable(parsed === null ? String(url) : `${parsed.origin}${parsed.pathname}`)
}

export function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}

const maxBytes = 1024 * 1024

async function jsonOf(response: Response): Promise<JsonObject | undefined> {
  if (/event-stream/.test(response.headers.get('content-type') ?? '')) {
    await response.body?.cancel()
    return undefined
  }
  try {
    const value: unknown = JSON.parse((await textUpTo(response, maxBytes)) ?? '')
    return isJsonObject(value) ? value : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** `Date` counts whole seconds; what a cache kept is as old as its `Age`. */
function aheadOf({ headers }: Response, localTime: number): number | undefined {
  const date = Date.parse(headers.get('date') ?? '')
  const age = Number(headers.get('age') ?? 0)
  return Number.isNaN(date) ? undefined : date + (Number.isFinite(age) ? age : 0) * 1000 + 500 - localTime
}
