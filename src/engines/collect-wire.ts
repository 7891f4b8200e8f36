import { Failure } from '../failure/failure.ts'
import { redactShapes } from '../log/redact-shapes.ts'
import { noAnswer, tooLong } from './answer-text.ts'
import type { EngineCall, WireEngine, WireHead, WireSink, WireUsage } from './engine.ts'
import { Presence } from './presence.ts'

export interface WireQuestionCall extends EngineCall {
  /** Told what the answer says was used, also when it cannot be taken or breaks off. */
  readonly onUsage?: ((usage: WireUsage) => void) | undefined
}

/** The whole answer of an upstream, parsed. A refusal is a failure that tells what helps the caller, and no more. */
export async function collectWire(
  engine: WireEngine,
  body: string,
  { signal, requestId, onUsage }: WireQuestionCall,
): Promise<unknown> {
  const caller = new Presence()
  const leave = (): void => caller.leave()
  signal.addEventListener('abort', leave, { once: true })
  if (signal.aborted) leave()
  const sink = new WholeAnswer(onUsage)
  try {
    engine.forward({ operation: 'generateContent', framing: 'json', body, caller, requestId }, sink)
    const { status, text } = await sink.whole
    if (status < 200 || status > 299) throw refused(status, text)
    return parsed(text)
  } finally {
    signal.removeEventListener('abort', leave)
  }
}

interface Whole {
  readonly status: number
  readonly text: string
}

class WholeAnswer implements WireSink {
  readonly #answer = Promise.withResolvers<Whole>()
  readonly #chunks: Uint8Array[] = []
  readonly #onUsage: WireQuestionCall['onUsage']
  #length = 0
  #head: WireHead | undefined

  constructor(onUsage: WireQuestionCall['onUsage']) {
    this.#onUsage = onUsage
  }

  get whole(): Promise<Whole> {
    return this.#answer.promise
  }

  head(head: WireHead): void {
    this.#head = head
  }

  data(bytes: Uint8Array): boolean {
    this.#length += bytes.length
    if (this.#length <= mostBytes) {
      this.#chunks.push(bytes)
    } else {
      this.#head?.drop()
      this.#answer.reject(tooLong())
    }
    return true
  }

  end(usage: WireUsage | undefined): void {
    if (usage !== undefined) this.#onUsage?.(usage)
    const text = Buffer.concat(this.#chunks).toString('utf8')
    this.#answer.resolve({ status: this.#head?.status ?? 0, text })
  }

  fail(failure: Failure, usage: WireUsage | undefined): void {
    if (usage !== undefined) this.#onUsage?.(usage)
    this.#answer.reject(failure)
  }
}

/** An answer of text is far smaller; thoughts and signatures come on top of it. */
const mostBytes = 8 * 1024 * 1024

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw noAnswer(cause)
  }
}

/** What is about the account of the gateway stays here: the upstream's own words go on only where they are about the request. */
function refused(status: number, text: string): Failure {
  const { said, kind } = errorIn(text)
  const cause = new Error(`it answered with status ${status} ${kind}`)
  if (status === 400 && kind === 'INVALID_ARGUMENT' && said !== '')
    return new Failure('invalid-request', `the model refused the request: ${said}`, { cause })
  if (status === 404)
    return new Failure('not-found', 'the upstream does not know this model; ask for another one', { cause })
  if (status === 408) return new Failure('timeout', 'the upstream of the model took too long', { cause })
  if (status === 413)
    return new Failure('too-large', 'the prompt is too large for the upstream; shorten it', { cause })
  if (status === 429)
    return new Failure('limit-exceeded', 'the model takes no more requests at the moment; try again later', {
      cause,
    })
  return status < 500
    ? new Failure('invalid-request', `the model refused the request with status ${status}`, { cause })
    : new Failure('unavailable', `the upstream of the model failed with status ${status}; try again later`, {
        cause,
      })
}

function errorIn(text: string): { readonly said: string; readonly kind: string } {
  try {
    const { message, status } = Object(Object(JSON.parse(text)).error)
    return { said: shown(message), kind: shown(status) }
  } catch {
    return { said: '', kind: '' }
  }
}

/** Should it quote a credential, that is taken out. */
function shown(text: unknown): string {
  if (typeof text !== 'string') return ''
  const redacted: unknown = JSON.parse(redactShapes(JSON.stringify(text.slice(0, mostShown))))
  return String(redacted)
}

const mostShown = 500
