import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Admission } from '../auth/admission.ts'
import type { Principal } from '../auth/principal.ts'
import type { CompiledScopes } from '../auth/scopes.ts'
import { Failure } from '../failure/failure.ts'
import { openEventStream } from '../http/event-stream.ts'
import { type AnswerForms, createAcceptReader } from './accept.ts'
import { CallContext } from './call-context.ts'
import type { Callers } from './callers.ts'
import type { Deadlines } from './deadlines.ts'
import type { Reporter } from './decision.ts'
import { settleEra } from './era.ts'
import type { Exchange } from './exchange.ts'
import { discovered, initialized, resultText } from './fixed-answers.ts'
import type { ToolList } from './list-tools.ts'
import { isMembers, type Members, type Message, readMessage } from './message.ts'
import { checkParameterHeaders } from './parameter-headers.ts'
import { type Era, metaKeys } from './revisions.ts'
import type { ToolRunner } from './run-tool.ts'
import { refuseTool } from './tool-access.ts'
import type { PreparedTool, ToolSet } from './tool-set.ts'

export interface AnswererOptions {
  readonly tools: ToolSet
  readonly scopes: CompiledScopes
  readonly callers: Callers
  readonly run: ToolRunner
  readonly list: ToolList
  readonly report: Reporter
  readonly admission: Admission | undefined
  readonly silence: Silence
}

/** How long a caller that reads streams hears nothing: proxies close what stays silent, which would cancel its call. */
interface Silence {
  readonly deadlines: Deadlines
  readonly now: () => number
  readonly afterMs: number
}

/** The text of the answer, empty for a notification; nothing when it went out as a stream. */
export type Answered = string | undefined

type Answer = Answered | Promise<Answered>

interface Http {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

export type Answerer = (text: string, exchange: Exchange, http: Http) => Answer

/** Answers one message. What it throws becomes an error on the JSON-RPC wire. */
export function createAnswerer(options: AnswererOptions): Answerer {
  const readAccept = createAcceptReader()
  return (text, exchange, { request, reply }) => {
    const { headers } = request.raw
    const forms = readAccept(headers.accept)
    const message = readMessage(text, exchange)
    settleEra(message, headers, exchange)
    if (exchange.id === undefined) return acceptNotification(message, exchange, options)
    const method = methods[exchange.era].get(message.method)
    if (method === undefined) throw unknownMethod(message)
    return method({ message, exchange, request, reply, forms }, options)
  }
}

interface Asked {
  readonly message: Message
  readonly exchange: Exchange
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly forms: AnswerForms
}

type Method = (asked: Asked, options: AnswererOptions) => Answer

const tools: readonly (readonly [string, Method])[] = [
  [
    'tools/list',
    (asked, options) => plain(asked, options, options.list(asked.message.params, asked.exchange)),
  ],
  ['tools/call', callTool],
]

const methods: Readonly<Record<Era, ReadonlyMap<string, Method>>> = {
  modern: new Map<string, Method>([
    ...tools,
    ['server/discover', (asked, options) => plain(asked, options, discovered)],
  ]),
  legacy: new Map<string, Method>([
    ...tools,
    ['initialize', (asked, options) => plain(asked, options, initialized(asked.message.params))],
    ['ping', (asked, options) => plain(asked, options, '')],
  ]),
}

/** Nothing is done about a notification; those of the handshake ended with it. */
function acceptNotification({ method }: Message, exchange: Exchange, { report }: AnswererOptions): Answer {
  const isGone = exchange.era === 'modern' && method === 'notifications/initialized'
  if (!method.startsWith('notifications/') || isGone) throw unknownMethod({ method })
  return report(exchange, 202)?.then(() => '') ?? ''
}

function callTool(asked: Asked, options: AnswererOptions): Answer {
  const { exchange, request } = asked
  const { principal } = exchange
  const { params } = asked.message
  const input = params.arguments ?? {}
  if (!isMembers(input)) throw invalidParams('arguments must be an object')
  const prepared = findTool(params.name, options.tools)
  if (principal === undefined) throw new Failure('internal', 'a call came past the gate')
  if (exchange.tool !== prepared) {
    exchange.tool = prepared
    refuseTool(prepared, principal, options.scopes)
  }
  if (exchange.era === 'modern') {
    refuseMissingCapability(prepared, params)
    checkParameterHeaders(prepared.tool.headerParameters, input, request.raw.headers)
  }
  const call = { prepared, principal, input }
  const admitted = options.admission?.target(principal, { kind: 'tool', name: prepared.name })
  return admitted === undefined
    ? runTool(asked, call, options)
    : admitted.then(() => runTool(asked, call, options))
}

interface ToolCall {
  readonly prepared: PreparedTool
  readonly principal: Principal
  readonly input: Members
}

function runTool(asked: Asked, { prepared, principal, input }: ToolCall, options: AnswererOptions): Answer {
  const { exchange, reply, forms } = asked
  const context = new CallContext(
    { principal, exchange, reply, takesStream: forms.stream },
    asked.message.params,
  )
  const caller = options.callers.of(principal)
  const members = options.run({ prepared, input, context, caller, era: exchange.era })
  // Not before the run was admitted: a refusal needs its status.
  if (!forms.json) context.stream()
  if (!(members instanceof Promise)) return finish(members, context, { exchange, options })
  const heard = forms.stream && forms.json ? breakSilence(context, options.silence) : nothing
  return members.then((late) => {
    heard()
    return finish(late, context, { exchange, options })
  })
}

/** Opens a stream, which then keeps itself alive, for a call that takes long; the answer ends that. */
function breakSilence(context: CallContext, { deadlines, now, afterMs }: Silence): () => void {
  const deadline = {
    at: now() + afterMs,
    expire: () => {
      if (!context.isAbandoned) context.stream()
    },
  }
  deadlines.add(deadline)
  return () => deadlines.remove(deadline)
}

function nothing(): void {}

interface Noted {
  readonly exchange: Exchange
  readonly options: AnswererOptions
}

function finish(members: string, context: CallContext, { exchange, options }: Noted): Answer {
  const recorded = options.report(exchange, context.isAbandoned ? 499 : 200)
  const text = resultText(exchange, members)
  return recorded === undefined ? context.finish(text) : recorded.then(() => context.finish(text))
}

function findTool(name: unknown, known: ToolSet): PreparedTool {
  if (typeof name !== 'string') throw invalidParams('name must be the name of a tool')
  const found = known.find(name)
  if (found !== undefined) return found
  throw new Failure('invalid-request', `there is no tool "${name.slice(0, 128)}"`, { reason: 'unknown_tool' })
}

/** The older era tells capabilities once, at the handshake, which nobody here remembers. */
function refuseMissingCapability({ tool, name }: PreparedTool, { _meta }: Members): void {
  if (tool.requiresCapabilities === undefined) return
  const told = isMembers(_meta) ? _meta[metaKeys.clientCapabilities] : undefined
  const missing = Object.keys(tool.requiresCapabilities).filter((key) => !Object.hasOwn(Object(told), key))
  if (missing.length === 0) return
  throw new Failure('invalid-request', `${name} needs a client with ${missing.join(', ')}`, {
    reason: 'missing_capability',
  })
}

function plain(asked: Asked, { report }: AnswererOptions, members: string): Answer {
  const text = resultText(asked.exchange, members)
  const recorded = report(asked.exchange, 200)
  return recorded === undefined ? deliver(asked, text) : recorded.then(() => deliver(asked, text))
}

function deliver({ reply, forms }: Asked, text: string): Answered {
  if (forms.json) return text
  openEventStream(reply).end(text)
  return undefined
}

function invalidParams(message: string): Failure {
  return new Failure('invalid-request', message, { reason: 'invalid_params' })
}

function unknownMethod({ method }: { readonly method: string }): Failure {
  return new Failure('invalid-request', `there is no method "${method.slice(0, 128)}"`, {
    reason: 'unknown_method',
  })
}
