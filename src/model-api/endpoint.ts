import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'
import { needsSecondLook } from '../auth/second-look.ts'
import { Failure } from '../failure/failure.ts'
import { announcedLength, type BodyBudget } from '../http/body-budget.ts'
import { continueIfAsked } from '../http/expectations.ts'
import { readBodyBytes } from '../http/read-body.ts'
import type { Gate } from './gate.ts'
import type { ModelCall } from './model-call.ts'
import type { ServedModel } from './model-table.ts'
import { callerOf } from './owner.ts'
import { type CallRules, readCall } from './read-call.ts'
import { isServed, Serving, type ServingOptions } from './serving.ts'

export interface EndpointOptions extends ServingOptions {
  /** The one that finds the model of a call. */
  readonly gate: Gate
  readonly bodyLimit: number
  readonly bodies: BodyBudget
}

export type Endpoint = (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => void

/**
 * Serves `POST …/models/<model>:<operation>` out of Fastify's first hook, as the tool server does: gate, body, engine. What
 * fails before the first byte goes to `done`, and so to the one error boundary.
 */
export function createEndpoint(options: EndpointOptions, rules: CallRules): Endpoint {
  const { gate, bodyLimit, bodies } = options
  return (request, reply, done) => {
    const call = readCall(request, rules)
    request.modelCall = call
    const refuse = (error: unknown): void => done(asError(error))
    const proceed = (): void => {
      const model = modelOf(call)
      // Of a caller that left while its credential was looked up nothing more would ever come.
      if (request.raw.destroyed) throw new Failure('invalid-request', 'the caller has gone', cancelled)
      const { principal } = callerOf(request)
      const take = bodies.hold(reply.raw, principal, announcedLength(request.raw, bodyLimit))
      continueIfAsked(request, reply)
      readBodyBytes(request.raw, { limit: bodyLimit, take }, (failure, body) => {
        const serve = (): void => new Serving({ call, body, reply, refuse }, options, model).start()
        if (failure !== undefined) done(failure)
        else if (needsSecondLook(call.startedAt, performance.now()))
          gate.confirm(request, call).then(serve).catch(refuse)
        else serve()
      })
    }
    const pending = gate.admit(request, call)
    if (pending === undefined) proceed()
    else pending.then(proceed).catch(refuse)
  }
}

const cancelled = { reason: 'cancelled' } as const

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error('not an error', { cause: error })
}

function modelOf({ model, name, operation }: ModelCall): ServedModel {
  if (!operations.has(operation))
    throw new Failure('not-found', `there is no operation ${operation}`, { reason: 'unknown_operation' })
  if (model !== undefined && isServed(model.engine, operation)) return model
  throw new Failure('not-found', `the model ${name} is not served, or not for this operation`, {
    reason: 'model_not_found',
  })
}

const operations: ReadonlySet<string> = new Set([
  'generateContent',
  'streamGenerateContent',
  'countTokens',
  'embedContent',
  'batchEmbedContents',
  'predict',
])
