import { IncomingMessage } from 'node:http'
import { Failure } from '../failure/failure.ts'

/** The whole body, within the limit. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const claimed = Number(request.headers['content-length'] ?? 0)
  if (claimed > largestBody) throw tooLarge()
  const chunks: Buffer[] = []
  let received = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    if (!Buffer.isBuffer(chunk)) continue
    received += chunk.length
    if (received > largestBody) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Empty unless the body is form-encoded. */
export function readForm({ headers }: IncomingMessage, body: Buffer): URLSearchParams {
  const isForm = formType.test(headers['content-type'] ?? '')
  return new URLSearchParams(isForm ? body.toString('utf8') : '')
}

/** The same request once more, for the provider, which reads bodies itself; perhaps as if for another URL. */
export function replay(
  request: IncomingMessage,
  body: Buffer,
  url: string | undefined = request.url,
): IncomingMessage {
  const copy = new IncomingMessage(request.socket)
  const { method, headers, rawHeaders, httpVersion, httpVersionMajor, httpVersionMinor } = request
  Object.assign(copy, { method, url, rawHeaders, httpVersion, httpVersionMajor, httpVersionMinor })
  copy.headers = headers
  copy.push(body)
  copy.push(null)
  // Otherwise the end of the copy would count as a caller that hung up.
  copy.complete = true
  return copy
}

/** Assertions with certificates and the fields of a registration fit well. */
const largestBody = 65_536
const formType = /^application\/x-www-form-urlencoded\s*(?:;|$)/i

function tooLarge(): Failure {
  return new Failure('too-large', `a request body has at most ${largestBody} bytes`)
}
