import { hasInexact } from './inexact-number.ts'
import { isObject } from './source-json.ts'
import type { ToolResult } from './tool.ts'
import { errorResult, textResult } from './tool-result.ts'

export interface ApiAnswer {
  readonly status: number
  readonly contentType: string
  readonly body: AsyncIterable<Uint8Array>
}

/** An answer as a tool result. What the API says of a bad request is for the caller; what it says of itself is not. */
export async function readAnswer(answer: ApiAnswer, limitBytes: number): Promise<ToolResult> {
  const bytes = await boundedBytes(answer.body, limitBytes)
  if (answer.status >= 300 && answer.status < 400)
    return errorResult(`the API answered with a redirect (${answer.status}), which is not followed`)
  if (bytes === undefined) return errorResult(`the answer of the API is larger than ${limitBytes} bytes`)
  if (answer.status >= 500) return errorResult(`the API failed (${answer.status})`)
  // What an API says of our own credential may quote it.
  if (answer.status === 401 || answer.status === 407)
    return errorResult(`the API does not accept the credential of this server (${answer.status})`)
  if (answer.status >= 400)
    return errorResult(`the API refused the request (${answer.status})${words(answer, bytes)}`)
  return contentOf(answer, bytes)
}

const shownCharacters = 2000

async function boundedBytes(
  body: AsyncIterable<Uint8Array>,
  limitBytes: number,
): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.byteLength
    if (size > limitBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function words({ contentType }: ApiAnswer, bytes: Uint8Array): string {
  const text = isText(contentType) ? decoded(contentType, bytes).trim().slice(0, shownCharacters) : ''
  return text === '' ? '' : `: ${text}`
}

function contentOf({ contentType, status }: ApiAnswer, bytes: Uint8Array): ToolResult {
  const mimeType = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  const [kind] = mimeType.split('/', 1)
  if (kind === 'image' || kind === 'audio')
    return { content: [{ type: kind, mimeType, data: Buffer.from(bytes).toString('base64') }] }
  if (bytes.byteLength === 0) return textResult(`done (${status})`)
  if (!isText(contentType) && (mimeType !== '' || !isUtf8(bytes)))
    return textResult(`done (${status}); ${bytes.byteLength} bytes of ${mimeType || 'no type'}`)
  const text = decoded(contentType, bytes)
  const value = /[/+]json$/.test(mimeType) ? parsed(text) : undefined
  // The text has such a number as it is.
  const isExact = isObject(value) && !hasInexact(value)
  return isExact ? { ...textResult(text), structuredContent: value } : textResult(text)
}

/** In the character set that it names; one that nobody knows counts as UTF-8. */
function decoded(contentType: string, bytes: Uint8Array): string {
  const [, label = 'utf-8'] = /;\s*charset="?([\w.:-]{1,40})/i.exec(contentType) ?? []
  try {
    return new TextDecoder(label).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes) !== ''
  } catch {
    return false
  }
}

function isText(contentType: string): boolean {
  return /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml|yaml)\b)/i.test(contentType)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
