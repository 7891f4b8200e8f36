import type { IncomingMessage } from 'node:http'
import { Failure } from '../failure/failure.ts'

export type BodyReader = (failure: Failure | undefined, text: string) => void
export type BytesReader = (failure: Failure | undefined, bytes: Buffer) => void

/** Reads a JSON body as text without Fastify's parser, for routes that answer from a hook; calls back once. */
export function readBody(request: IncomingMessage, limit: number, done: BodyReader): void {
  readBodyBytes(request, limit, (failure, bytes) => done(failure, bytes.toString('utf8')))
}

/** The same, for those who hand the bytes on. */
export function readBodyBytes(request: IncomingMessage, limit: number, done: BytesReader): void {
  const { headers } = request
  if (!isJson(headers['content-type'])) {
    done(new Failure('unsupported-media', 'the body must come with content-type application/json'), nothing)
    return
  }
  if (Number(headers['content-length'] ?? 0) > limit) {
    done(tooLarge(limit), nothing)
    return
  }
  collect(request, limit, done)
}

const nothing = Buffer.alloc(0)

function collect(request: IncomingMessage, limit: number, done: BytesReader): void {
  let first: Buffer | undefined
  const rest: Buffer[] = []
  let length = 0
  let isOver = false
  const finish = (failure: Failure | undefined, bytes: Buffer): void => {
    if (isOver) return
    isOver = true
    done(failure, bytes)
  }
  request.on('data', (chunk: Buffer) => {
    length += chunk.length
    if (isOver) return
    if (length > limit) finish(tooLarge(limit), nothing)
    else if (first === undefined) first = chunk
    else rest.push(chunk)
  })
  request.on('end', () => {
    const bytes = first === undefined || rest.length === 0 ? first : Buffer.concat([first, ...rest], length)
    finish(undefined, bytes ?? nothing)
  })
  request.on('error', (cause) =>
    finish(new Failure('invalid-request', 'the body ended too early', { cause }), nothing),
  )
  // A caller that left before anybody listened says nothing more.
  if (request.destroyed) finish(new Failure('invalid-request', 'the body ended too early'), nothing)
}

function isJson(type: string | undefined): boolean {
  return type === 'application/json' || (type !== undefined && jsonType.test(type))
}

const jsonType = /^\s*application\/json\s*(?:;|$)/i

function tooLarge(limit: number): Failure {
  return new Failure('too-large', `the body may have at most ${limit} bytes`)
}
