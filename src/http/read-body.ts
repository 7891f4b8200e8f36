import type { IncomingMessage } from 'node:http'
import { Failure } from '../failure/failure.ts'

export type BodyReader = (failure: Failure | undefined, text: string) => void

/** Reads a JSON body as text without Fastify's parser, for routes that answer from a hook; calls back once. */
export function readBody(request: IncomingMessage, limit: number, done: BodyReader): void {
  const { headers } = request
  if (!isJson(headers['content-type'])) {
    done(new Failure('unsupported-media', 'the body must come with content-type application/json'), '')
    return
  }
  if (Number(headers['content-length'] ?? 0) > limit) {
    done(tooLarge(limit), '')
    return
  }
  collect(request, limit, done)
}

function collect(request: IncomingMessage, limit: number, done: BodyReader): void {
  let first: Buffer | undefined
  const rest: Buffer[] = []
  let length = 0
  let isOver = false
  const finish = (failure: Failure | undefined, text: string): void => {
    if (isOver) return
    isOver = true
    done(failure, text)
  }
  request.on('data', (chunk: Buffer) => {
    length += chunk.length
    if (isOver) return
    if (length > limit) finish(tooLarge(limit), '')
    else if (first === undefined) first = chunk
    else rest.push(chunk)
  })
  request.on('end', () => {
    const bytes = first === undefined || rest.length === 0 ? first : Buffer.concat([first, ...rest], length)
    finish(undefined, bytes === undefined ? '' : bytes.toString('utf8'))
  })
  request.on('error', (cause) =>
    finish(new Failure('invalid-request', 'the body ended too early', { cause }), ''),
  )
  // A caller that left before anybody listened says nothing more.
  if (request.destroyed) finish(new Failure('invalid-request', 'the body ended too early'), '')
}

function isJson(type: string | undefined): boolean {
  return type === 'application/json' || (type !== undefined && jsonType.test(type))
}

const jsonType = /^\s*application\/json\s*(?:;|$)/i

function tooLarge(limit: number): Failure {
  return new Failure('too-large', `the body may have at most ${limit} bytes`)
}
