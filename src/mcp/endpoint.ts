import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'
import { sendText } from '../http/plain-answer.ts'
import { readBody } from '../http/read-body.ts'
import type { Answered, Answerer } from './answer.ts'
import { newExchange } from './exchange.ts'
import type { Gate } from './gate.ts'

export interface EndpointOptions {
  readonly gate: Gate
  readonly answer: Answerer
  readonly bodyLimit: number
}

export type Endpoint = (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => void

/**
 * Serves a request out of Fastify's first hook: gate, body, answer. Its parser, serializers and later hooks would cost a
 * fifth of a small call (measured); what fails goes to `done`, and so to the one error boundary.
 */
export function createEndpoint({ gate, answer, bodyLimit }: EndpointOptions): Endpoint {
  return (request, reply, done) => {
    const exchange = newExchange(request.id)
    request.exchange = exchange
    const proceed = (): void =>
      readBody(request.raw, bodyLimit, (failure, text) => {
        if (failure === undefined) conclude(text)
        else done(failure)
      })
    const conclude = (text: string): void => {
      // A callback of the socket has nobody above it who would catch.
      try {
        const answered = answer(text, exchange, { request, reply })
        if (answered instanceof Promise) answered.then((late) => send(reply, late), done)
        else send(reply, answered)
      } catch (error) {
        done(error instanceof Error ? error : new Error('not an error', { cause: error }))
      }
    }
    const pending = gate(request, exchange)
    if (pending === undefined) proceed()
    else pending.then(proceed, done)
  }
}

/** What went out as a stream is gone already. */
function send(reply: FastifyReply, answered: Answered): void {
  if (answered !== undefined) sendText(reply, answered === '' ? 202 : 200, answered)
}
