import { IncomingMessage } from 'node:http'
import { Failure } from '../failure/failure.ts'
import { GrowingBytes } from '../intake/growing-bytes.ts'

interface HeldBody {
  readonly bytes: Buffer
  /** The bytes count against what may be held until this is called. */
  readonly release: () => void
}

/** Reads a whole body of at most `most` bytes. */
export type BodyReader = (request: IncomingMessage, most: number) => Promise<HeldBody>

/** All bodies that are read or answered at one moment have `mostHeld` bytes together; whoever needs more is refused. */
export function createBodyReader(mostHeld: number): BodyReader {
  let held = 0
  return async (request, most) => {
    if (!hasBody(request) || most === 0) return empty
    if (Number(request.headers['content-length'] ?? 0) > most) throw tooLarge(most)
    const body = new GrowingBytes(most)
    const release = (): void => {
      held -= body.length
      body.clear()
    }
    try {
      for await (const chunk of request.iterator({ destroyOnReturn: false })) {
        if (!Buffer.isBuffer(chunk)) continue
        if (body.length + chunk.length > most) throw tooLarge(most)
        if (held + chunk.length > mostHeld) throw tooMany()
        held += chunk.length
        body.append(chunk)
      }
    } catch (error) {
      release()
      throw error
    }
    return { bytes: body.all(), release }
  }
}

/** Whether the request says that a body follows (RFC 9112, section 6). */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
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

const empty: HeldBody = { bytes: Buffer.alloc(0), release: () => {} }
const formType = /^application\/x-www-form-urlencoded\s*(?:;|$)/i

function tooLarge(most: number): Failure {
  return new Failure('too-large', `a request body has at most ${most} bytes here`)
}

function tooMany(): Failure {
  return new Failure(
    'unavailable',
    'too many requests are being read at this moment: try again in a few seconds',
    {
      reason: 'too_many_bodies',
      retryAfterSeconds: 5,
    },
  )
}
