import type { IncomingMessage } from 'node:http'
import { Failure } from '../failure/failure.ts'
import { GrowingBytes } from '../intake/growing-bytes.ts'
import type { TakeRoom } from './body-budget.ts'

export type BodyReader = (failure: Failure | undefined, text: string) => void
export type BytesReader = (failure: Failure | undefined, bytes: Buffer) => void

export interface BodyRules {
  readonly limit: number
  /** Asked for each piece as it comes. */
  readonly take?: TakeRoom | undefined
}

/** Reads a JSON body as text without Fastify's parser, for routes that answer from a hook; calls back once. */
export function readBody(request: IncomingMessage, rules: BodyRules, done: BodyReader): void {
  readBodyBytes(request, rules, (failure, bytes) => done(failure, bytes.toString('utf8')))
}

/** The same, for those who hand the bytes on. */
export function readBodyBytes(request: IncomingMessage, rules: BodyRules, done: BytesReader): void {
  const { headers } = request
  const { limit } = rules
  if (!isJson(headers['content-type'])) {
    done(new Failure('unsupported-media', 'the body must come with content-type application/json'), nothing)
    return
  }
  if (Number(headers['content-length'] ?? 0) > limit) {
    done(tooLarge(limit), nothing)
    return
  }
  collect(request, rules, done)
}

const nothing = Buffer.alloc(0)

function collect(request: IncomingMessage, { limit, take }: BodyRules, done: BytesReader): void {
  const held = new GrowingBytes(limit, Number(request.headers['content-length'] ?? 0))
  let isOver = false
  const finish = (failure: Failure | undefined, bytes: Buffer): void => {
    if (isOver) return
    isOver = true
    done(failure, bytes)
  }
  request.on('data', (chunk: Buffer) => {
    if (isOver) return
    const refused = held.length + chunk.length > limit ? tooLarge(limit) : take?.(chunk.length)
    if (refused === undefined) held.append(chunk)
    else {
      held.clear()
      finish(refused, nothing)
    }
  })
  request.on('end', () => finish(undefined, held.all()))
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
