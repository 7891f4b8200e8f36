import { Agent, request } from 'undici'
import { type JsonObject, parseJsonObject } from './strict-json.ts'

interface JsonRequest {
  readonly url: string
  readonly form?: { readonly authorization: string; readonly fields: Readonly<Record<string, string>> }
}

export interface JsonAnswer {
  readonly status: number
  /** Undefined unless the body is one JSON object. */
  readonly body: JsonObject | undefined
}

/** Asks issuers: a GET, or a POST of a form. No redirect is followed; time and size are bounded. */
export interface JsonClient {
  readonly send: (request: JsonRequest) => Promise<JsonAnswer>
  readonly close: () => Promise<void>
}

export interface JsonClientLimits {
  readonly timeoutMs: number
  readonly bytes: number
}

const usualLimits: JsonClientLimits = { timeoutMs: 5000, bytes: 256 * 1024 }

export function createJsonClient(limits: JsonClientLimits = usualLimits): JsonClient {
  const agent = new Agent({
    connections: 16,
    connect: { timeout: limits.timeoutMs },
    maxResponseSize: limits.bytes,
  })
  const closing = new AbortController()

  async function send({ url, form }: JsonRequest): Promise<JsonAnswer> {
    const answer = await request(url, {
      dispatcher: agent,
      signal: AbortSignal.any([closing.signal, AbortSignal.timeout(limits.timeoutMs)]),
      ...(form === undefined ? { method: 'GET', headers: { accept } } : posted(form)),
    })
    return { status: answer.statusCode, body: parseJsonObject(await answer.body.bytes()) }
  }

  return {
    send,
    close: async () => {
      closing.abort()
      await agent.destroy()
    },
  }
}

const accept = 'application/json'

function posted(form: NonNullable<JsonRequest['form']>): {
  readonly method: 'POST'
  readonly headers: Record<string, string>
  readonly body: string
} {
  return {
    method: 'POST',
    headers: {
      accept,
      authorization: form.authorization,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams({ ...form.fields }).toString(),
  }
}
