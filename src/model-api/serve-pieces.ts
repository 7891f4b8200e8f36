import type { OutgoingHttpHeaders } from 'node:http'
import type { FastifyReply } from 'fastify'
import type { GenerateRequest, UsageMetadata } from '../engines/content.ts'
import type { Embedding, EmbedInput, EngineCall, PieceEngine } from '../engines/engine.ts'
import { Failure } from '../failure/failure.ts'
import { sendText } from '../http/plain-answer.ts'
import { type Sent, sendPieces } from './answer.ts'
import {
  batchEmbedAnswer,
  countAnswer,
  embedAnswer,
  predictAnswer,
  vertexEmbedAnswer,
} from './answer-shapes.ts'
import { type ResolveReferences, withCachedTokens } from './cache-references.ts'
import type { CallReporter } from './call-report.ts'
import type { WireErrors } from './errors.ts'
import { isVertex } from './errors-method.ts'
import { guessTokens } from './guess-tokens.ts'
import { valuesRefusal } from './json-values.ts'
import type { ModelCall } from './model-call.ts'
import {
  readBatchEmbedRequest,
  readCountRequest,
  readEmbedRequest,
  readGenerateRequest,
  readPredictRequest,
} from './read-request.ts'

export interface PiecesOrder {
  readonly engine: PieceEngine
  readonly call: ModelCall
  readonly body: Buffer
  readonly reply: FastifyReply
  readonly errors: WireErrors
  readonly resolve: ResolveReferences
  readonly abort: AbortController
  readonly report: CallReporter
}

/** Answers with the status; throws what fails before the first byte. */
export async function servePieces(order: PiecesOrder): Promise<number> {
  const json = parseJson(order.body)
  const serve = operations[order.call.operation]
  if (serve === undefined)
    throw new Failure('not-found', 'there is no such operation', { reason: 'unknown_operation' })
  try {
    return await serve(json, order)
  } catch (cause) {
    // However an engine says that it stopped as it was told.
    if (order.abort.signal.aborted)
      throw new Failure('invalid-request', 'the caller has gone', { cause, reason: 'cancelled' })
    throw cause
  }
}

type Serve = (json: unknown, order: PiecesOrder) => Promise<number>

const operations: Readonly<Record<string, Serve>> = {
  generateContent: generate,
  streamGenerateContent: generate,
  countTokens: async (json, order) => {
    const { call, engine, resolve } = order
    const { request, cachedTokens } = await resolve(readCountRequest(json, call.name), call)
    const count = await engine.countTokens(request, engineCall(order))
    const cached = cachedTokens === undefined ? {} : { cachedContentTokenCount: cachedTokens }
    return sendJson(order, countAnswer({ ...count, ...cached }))
  },
  embedContent: async (json, order) => {
    const input = readEmbedRequest(json, order.call.name)
    const [embedding] = await embed([input], order)
    if (embedding === undefined) throw new Failure('internal', 'the engine gave no embedding')
    return sendJson(order, isVertex(order.call) ? vertexEmbedAnswer(embedding) : embedAnswer(embedding))
  },
  batchEmbedContents: async (json, order) => {
    const embeddings = await embed(readBatchEmbedRequest(json, order.call.name), order)
    return sendJson(order, batchEmbedAnswer(embeddings))
  },
  predict: async (json, order) => {
    return sendJson(order, predictAnswer(await embed(readPredictRequest(json), order)))
  },
}

async function embed(inputs: readonly EmbedInput[], order: PiecesOrder): Promise<readonly Embedding[]> {
  const { engine, call, abort } = order
  try {
    const embeddings = await engine.embed(inputs, engineCall(order))
    call.tokensIn = embeddings.reduce((sum, { tokenCount }) => sum + tokenCount, 0)
    return embeddings
  } catch (error) {
    if (abort.signal.aborted) call.tokensGuessed = guessed(inputs, engine)
    throw error
  }
}

async function generate(json: unknown, order: PiecesOrder): Promise<number> {
  const { call, reply, engine, errors, resolve, abort, report } = order
  const { request, cachedTokens } = await resolve(readGenerateRequest(json, call.name), call)
  const pieces = engine.generate(request, engineCall(order))
  const sent = await sendPieces(
    cachedTokens === undefined ? pieces : withCachedTokens(pieces, cachedTokens),
    {
      raw: reply.raw,
      framing: call.framing,
      modelVersion: engine.version,
      headers: headersOf(reply),
      abort: () => abort.abort(),
      errorBody: (failure) => errors.body(failure, call),
      began: () => void reply.hijack(),
      ending: (sent) => report(call, note(sent, order, request)),
    },
  )
  return note(sent, order, request)
}

/** Answers with the status. Most engines say at the end what was used: who hangs up before it has not read for nothing. */
function note(sent: Sent, { call, engine }: PiecesOrder, request: GenerateRequest): number {
  const { failure, cancelled, status, pieces = 0 } = sent
  // Some servers send zeros until the end.
  const usage = sent.usage?.promptTokenCount === 0 ? undefined : sent.usage
  call.failure = failure
  call.tokensIn = usage?.promptTokenCount
  call.tokensOut = pieces === 0 ? written(usage) : Math.max(written(usage) ?? 0, pieces)
  if (usage === undefined) call.tokensGuessed ??= guessed(request, engine) + (sent.guessed ?? pieces)
  return cancelled ? 499 : status
}

function written(usage: UsageMetadata | undefined): number | undefined {
  if (usage === undefined) return undefined
  return (usage.candidatesTokenCount ?? 0) + (usage.thoughtsTokenCount ?? 0)
}

/** With what the request refers to, which is not in its body. */
function guessed(read: object, { limits }: PieceEngine): number {
  return guessTokens(Buffer.from(JSON.stringify(read)), limits)
}

/** What was set so far: the answer goes past Fastify. */
function headersOf(reply: FastifyReply): OutgoingHttpHeaders {
  const set = Object.entries(reply.getHeaders())
  return Object.fromEntries(set.map(([name, value]) => [name, String(value)]))
}

function engineCall({ abort, call }: PiecesOrder): EngineCall {
  return { signal: abort.signal, requestId: call.requestId, isStream: call.framing !== 'whole' }
}

function sendJson({ reply, call, report }: PiecesOrder, body: object): number | Promise<number> {
  const text = JSON.stringify(body)
  const send = (): number => {
    sendText(reply, 200, text)
    return 200
  }
  return report(call, 200)?.then(send) ?? send()
}

/** What is no UTF-8 is no JSON (RFC 8259, section 8.1); a mark at its start is left out. */
const utf8 = new TextDecoder('utf-8', { fatal: true })

function parseJson(body: Buffer): unknown {
  const text = attempt(() => utf8.decode(body))
  const refused = valuesRefusal(text)
  if (refused !== undefined) throw refused
  return attempt((): unknown => JSON.parse(text))
}

function attempt<T>(read: () => T): T {
  try {
    return read()
  } catch (cause) {
    throw new Failure('invalid-request', `Invalid JSON payload received. ${textOf(cause)}`, {
      cause,
      reason: 'invalid_argument',
    })
  }
}

function textOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : 'It could not be read.'
}
