import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'
import { needsSecondLook } from '../auth/second-look.ts'
import { Failure } from '../failure/failure.ts'
import { announcedLength, type BodyBudget } from '../http/body-budget.ts'
import { continueIfAsked } from '../http/expectations.ts'
import { sendText } from '../http/plain-answer.ts'
import { readBody } from '../http/read-body.ts'
import type { Answered, Answerer } from './answer.ts'
import { newExchange } from './exchange.ts'
import type { Gate } from './gate.ts'

export interface EndpointOptions {
  readonly gate: Gate
  readonly answer: Answerer
  readonly bodyLimit: number
  /** Without it there is room for every body. */
  readonly bodies?: BodyBudget | undefined
}

export type Endpoint = (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => void

/**
 * Serves a request out of Fastify's first hook: gate, body, answer. Its parser, serializers and later hooks would cost a
 * fifth of a small call (measured); what fails goes to `done`, and so to the one error boundary.
 */
export function createEndpoint({ gate, answer, bodyLimit, bodies }: EndpointOptions): Endpoint {
  return (request, reply, done) => {
    const exchange = newExchange(request.id)
    request.exchange = exchange
    const fail = (error: unknown): void => {
      if (reply.sent) breakOff(reply, error)
      else done(error instanceof Error ? error : new Error('not an error', { cause: error }))
    }
    const proceed = (): void => {
      const { principal } = exchange
      const take = principal && bodies?.hold(reply.raw, principal, announcedLength(request.raw, bodyLimit))
      continueIfAsked(request, reply)
      readBody(request.raw, { limit: bodyLimit, take }, (failure, text) => {
        if (failure !== undefined) fail(failure)
        else if (needsSecondLook(exchange.startedAt, performance.now()))
          gate.confirm(request, exchange).then(() => conclude(text), fail)
        else conclude(text)
      })
    }
    const send = (answered: Answered): void => {
      try {
        // What went out as a stream is gone already.
        if (answered !== undefined) sendText(reply, answered === '' ? 202 : 200, answered)
      } catch (error) {
        fail(error)
      }
    }
    const conclude = (text: string): void => {
      // A callback of the socket has nobody above it who would catch.
      try {
        const answered = answer(text, exchange, { request, reply })
        if (answered instanceof Promise) answered.then(send, fail)
        else send(answered)
      } catch (error) {
        fail(error)
      }
    }
    const pending = gate.admit(request, exchange)
    if (pending === undefined) proceed()
    else pending.then(proceed).catch(fail)
  }
}

/** The head of the answer is out, so the only word left for a failure is the end of the connection. */
function breakOff(reply: FastifyReply, error: unknown): void {
  // Who keeps the record says so, once for many calls.
  const isRare = error instanceof Failure && error.reason === 'record_unavailable'
  reply.log[isRare ? 'debug' : 'error']({ err: error }, 'answer broke off')
  reply.raw.destroy()
}
