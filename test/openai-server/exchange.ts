import type { ServerResponse } from 'node:http'

type Json = Readonly<Record<string, unknown>>

export interface Exchange {
  /** Which server is played: `openai`, `vllm` or `llama`. */
  readonly kind: string
  readonly body: Json
  readonly response: ServerResponse
}

export interface WireMessage {
  readonly role: string
  readonly content?: string | null | readonly Json[]
  readonly tool_call_id?: string
  readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly name: string } }[]
}

export interface WireTool {
  readonly function: { readonly name: string; readonly parameters?: unknown }
}

export function messagesOf(body: Json): readonly WireMessage[] {
  return Array.isArray(body.messages) ? body.messages : []
}

export function toolsOf(body: Json): readonly WireTool[] {
  return Array.isArray(body.tools) ? body.tools : []
}

/** The text of a message; media as what they are and how large. */
export function textOfMessage({ content }: WireMessage): string {
  if (content === null || content === undefined) return ''
  if (typeof content === 'string') return content
  return content
    .map((part) => {
      if (part.type === 'text') return String(part.text)
      const [type = '', data = ''] = JSON.stringify(part).match(/data:[a-z/]+|[A-Za-z0-9+/=]{8,}/g) ?? []
      return `[${type.replace('data:', '')} ${data.length}]`
    })
    .join('')
}

export function sendJson(response: ServerResponse, value: unknown): ServerResponse {
  return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}
