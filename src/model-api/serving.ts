import type { FastifyReply } from 'fastify'
import type { Engine, Operation, PieceEngine, WireEngine } from '../engines/engine.ts'
import { type Hesitation, hesitate, isFault, mayBeBetter } from '../engines/hesitate.ts'
import { Presence } from '../engines/presence.ts'
import { Failure } from '../failure/failure.ts'
import type { ResolveReferences } from './cache-references.ts'
import type { CallReporter } from './call-report.ts'
import type { WireErrors } from './errors.ts'
import { ReplySink } from './forward-call.ts'
import { guessTokens } from './guess-tokens.ts'
import type { ModelCall } from './model-call.ts'
import type { ServedModel } from './model-table.ts'
import { servePieces } from './serve-pieces.ts'

export interface ServingOptions {
  readonly errors: WireErrors
  readonly report: CallReporter
  /** Puts what the caller stored here in the place of its name. */
  readonly resolve: ResolveReferences
}

export interface ServingParts {
  readonly call: ModelCall
  readonly body: Buffer
  readonly reply: FastifyReply
  readonly refuse: (error: unknown) => void
}

/** Whether an engine can do what a path asks for; `predict` is another form of embedding, which the wire has not. */
export function isServed(engine: Engine, operation: string): boolean {
  if (operation === 'predict') return engine.kind === 'pieces' && engine.operations.has('embedContent')
  return isOperation(engine, operation)
}

function isOperation(engine: Engine, text: string): text is Operation {
  const operations: ReadonlySet<string> = engine.operations
  return operations.has(text)
}

/** One call on its way through the engines that may answer it. */
export class Serving {
  readonly #parts: ServingParts
  readonly #options: ServingOptions
  readonly #model: ServedModel
  readonly #caller = new Presence()
  /** Why others are asked than the model that the caller named. */
  #outage: Failure | undefined

  constructor(parts: ServingParts, options: ServingOptions, model: ServedModel) {
    this.#parts = parts
    this.#options = options
    this.#model = model
  }

  start(): void {
    const { raw } = this.#parts.reply
    raw.once('close', () => {
      if (!raw.writableFinished) this.#caller.leave()
    })
    if (raw.destroyed) this.#caller.leave()
    this.#ask(this.#model.engine, this.#fallbacks())
  }

  #fallbacks(): readonly Engine[] {
    const { fallbacks } = this.#model
    const { operation } = this.#parts.call
    return fallbacks.length === 0 ? fallbacks : fallbacks.filter((engine) => isServed(engine, operation))
  }

  #ask(engine: Engine, others: readonly Engine[]): void {
    if (engine.kind === 'wire') this.#forward(engine, others)
    else this.#answer(engine, others)
  }

  #askOther([engine, ...others]: readonly Engine[], failure: Failure): void {
    const { reply, call, refuse } = this.#parts
    this.#outage ??= failure
    if (engine === undefined) {
      refuse(this.#outage)
    } else {
      reply.log.warn({ err: failure, model: call.name }, 'a model did not answer; another one is asked')
      this.#ask(engine, others)
    }
  }

  #forward(engine: WireEngine, others: readonly Engine[]): void {
    const { call, body, reply, refuse } = this.#parts
    const { errors, report } = this.#options
    const { operation } = call
    if (!isOperation(engine, operation)) return
    const sink = new ReplySink({
      call,
      reply,
      refuse,
      guess: () => guessTokens(body, engine.limits),
      ended: (status) => report(call, status),
      errorEvent: (failure) => `data: ${JSON.stringify(errors.body(failure, call))}\r\n\r\n`,
    })
    engine.forward(
      {
        operation,
        framing: call.framing === 'sse' ? 'sse' : 'json',
        body,
        modelName: call.name,
        caller: this.#caller,
        requestId: call.requestId,
      },
      others.length === 0 && this.#outage === undefined ? sink : hesitate(sink, this.#hesitation(others)),
    )
  }

  #hesitation(others: readonly Engine[]): Hesitation {
    return {
      isWorth: ({ status }) =>
        status >= 400 && (mayBeBetter.has(status) ? others.length > 0 : this.#outage !== undefined),
      isWorthAfter: (failure) => this.#isPassedOver(failure, others),
      again: (failure) => this.#askOther(others, failure),
    }
  }

  /**
   * A fault is, while there is another one to ask. A refusal of one that stands in is, too: it says only what this one cannot
   * do, and the model that the caller named would have answered.
   */
  #isPassedOver(error: unknown, others: readonly Engine[]): error is Failure {
    if (isFault(error)) return others.length > 0
    return this.#outage !== undefined && error instanceof Failure && error.reason !== 'cancelled'
  }

  #answer(engine: PieceEngine, others: readonly Engine[]): void {
    const { call, body, reply, refuse } = this.#parts
    const { errors, report, resolve } = this.#options
    const abort = new AbortController()
    this.#caller.listen(() => abort.abort())
    if (this.#caller.isGone) abort.abort()
    servePieces({ engine, call, body, reply, errors, resolve, abort, report }).then(
      (status) => void report(call, status),
      (error: unknown) => {
        // Once its decision was told, a call is not answered anew.
        const mayAsk = !call.isTold && !this.#caller.isGone && !reply.raw.headersSent
        if (mayAsk && this.#isPassedOver(error, others)) this.#askOther(others, error)
        else refuse(error)
      },
    )
  }
}
