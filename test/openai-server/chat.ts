import type { ServerResponse } from 'node:http'
import { type Completion, completionFor } from './completion.ts'
import { sendError } from './errors.ts'
import { type Exchange, messagesOf, sendJson } from './exchange.ts'
import { faults, flaky } from './faults.ts'

const knownModels = new Set(['echo', 'tools', 'refuses', 'no-usage', 'no-stream'])

export async function answerChat(exchange: Exchange): Promise<unknown> {
  const { kind, body, response } = exchange
  const model = String(body.model)
  const fault = faults(model)
  if (fault !== undefined) return fault(exchange)
  if (!knownModels.has(model) && !flaky.test(model))
    return sendError(response, {
      kind,
      status: 404,
      message: `The model \`${model}\` does not exist or you do not have access to it.`,
      code: 'model_not_found',
    })
  const complaint = complaintAbout(exchange)
  if (complaint !== undefined) return sendError(response, { kind, status: 400, ...complaint })
  const completion = completionFor(exchange)
  if (body.stream === true && model !== 'no-stream') return stream(response, completion)
  return sendJson(response, whole(completion))
}

interface Complaint {
  readonly message: string
  readonly param?: string
}

/** The checks that callers of the real servers run into. */
function complaintAbout({ kind, body }: Exchange): Complaint | undefined {
  const messages = messagesOf(body)
  if (messages.length === 0) return { message: "[] is too short - 'messages'", param: 'messages' }
  if (kind === 'openai' && body.top_k !== undefined)
    return { message: 'Unrecognized request argument supplied: top_k', param: 'top_k' }
  if (body.tool_choice !== undefined && body.tools === undefined)
    return { message: "'tool_choice' is only allowed when 'tools' are specified.", param: 'tool_choice' }
  const open = new Set<string>()
  for (const [index, message] of messages.entries()) {
    const at = `messages.[${index}]`
    if (message.role === 'tool' && !open.delete(message.tool_call_id ?? ''))
      return {
        message: "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
        param: at,
      }
    if (message.role !== 'tool' && open.size > 0)
      return {
        message: `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...open].join(', ')}`,
        param: at,
      }
    for (const call of message.tool_calls ?? []) open.add(call.id)
  }
  return undefined
}

function whole({ head, choices, usage }: Completion): unknown {
  return {
    ...head,
    object: 'chat.completion',
    choices: choices.map(({ index, deltas, finish_reason }) => ({
      index,
      message: deltas.reduce((message, delta) => merged(message, delta), {
        role: 'assistant',
        content: null,
      }),
      logprobs: logprobsOf(deltas),
      finish_reason,
    })),
    ...(usage !== undefined && { usage }),
  }
}

type Delta = Completion['choices'][number]['deltas'][number]

function merged(message: Readonly<Record<string, unknown>>, delta: Delta): Record<string, unknown> {
  const next: Record<string, unknown> = { ...message }
  for (const [name, value] of Object.entries(delta)) {
    if (name === 'logprobs') continue
    if (name === 'tool_calls') next[name] = grownCalls(message.tool_calls, value)
    else next[name] = typeof value === 'string' ? [message[name], value].join('') : value
  }
  return next
}

type Call = {
  readonly id?: string
  readonly index: number
  readonly function: { readonly name?: string; readonly arguments: string }
}

function grownCalls(known: unknown, added: unknown): unknown {
  const calls = new Map<number, Call>((Array.isArray(known) ? known : []).map((call: Call, at) => [at, call]))
  for (const call of Array.isArray(added) ? added : []) {
    const { index, ...rest } = call
    const before = calls.get(index)
    const text = `${before?.function.arguments ?? ''}${call.function.arguments}`
    calls.set(index, {
      ...before,
      ...rest,
      function: { ...before?.function, ...call.function, arguments: text },
    })
  }
  return [...calls.values()]
}

function logprobsOf(deltas: readonly Delta[]): unknown {
  const content = deltas.flatMap(({ logprobs }) => (logprobs === undefined ? [] : [logprobs]))
  return content.length === 0 ? null : { content, refusal: null }
}

async function stream(response: ServerResponse, { head, choices, usage }: Completion): Promise<void> {
  const chunk = { ...head, object: 'chat.completion.chunk', system_fingerprint: 'fp_test' }
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
  const send = (value: unknown): unknown => response.write(`data: ${JSON.stringify(value)}\n\n`)
  for (const { index } of choices)
    send({ ...chunk, choices: [{ index, delta: { role: 'assistant', content: '' }, finish_reason: null }] })
  const longest = Math.max(...choices.map(({ deltas }) => deltas.length))
  for (let at = 0; at < longest; at += 1) {
    for (const { index, deltas } of choices) {
      const { logprobs, ...delta } = deltas[at] ?? {}
      if (Object.keys(delta).length === 0) continue
      const scored = logprobs === undefined ? null : { content: [logprobs], refusal: null }
      send({ ...chunk, choices: [{ index, delta, logprobs: scored, finish_reason: null }] })
    }
    await new Promise(setImmediate)
  }
  for (const { index, finish_reason } of choices)
    send({ ...chunk, choices: [{ index, delta: {}, finish_reason }] })
  if (usage !== undefined) send({ ...chunk, choices: [], usage })
  response.end('data: [DONE]\n\n')
}
