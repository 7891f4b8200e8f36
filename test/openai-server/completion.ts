import { type Exchange, messagesOf, textOfMessage, toolsOf } from './exchange.ts'
import { promptOf, wordCount } from './routes.ts'

interface Choice {
  readonly index: number
  readonly deltas: readonly Readonly<Record<string, unknown>>[]
  readonly finish_reason: string
}

export interface Completion {
  readonly head: { readonly id: string; readonly created: number; readonly model: string }
  readonly choices: readonly Choice[]
  readonly usage?: unknown
}

/** What a small, obedient model would say. */
export function completionFor({ body }: Pick<Exchange, 'body'>): Completion {
  const model = String(body.model)
  const answer = answerTo(body, model)
  const count = typeof body.n === 'number' ? body.n : 1
  const choices = Array.from({ length: count }, (_, index) => ({ index, ...answer }))
  const wantsUsage = body.stream !== true || isAsked(body.stream_options)
  return {
    head: { id: 'chatcmpl-test1', created: 1_760_000_000, model },
    choices,
    ...(wantsUsage && model !== 'no-usage' && { usage: usageOf(body, choices) }),
  }
}

function isAsked(options: unknown): boolean {
  return JSON.stringify(options ?? {}).includes('"include_usage":true')
}

function answerTo(body: Exchange['body'], model: string): Omit<Choice, 'index'> {
  if (model === 'refuses')
    return { deltas: [{ refusal: "I'm sorry, " }, { refusal: 'I cannot.' }], finish_reason: 'stop' }
  const last = messagesOf(body).at(-1)
  if (model === 'tools' && last?.role !== 'tool' && body.tool_choice !== 'none') return toolCalls(body)
  if (body.response_format !== undefined)
    return inWords(JSON.stringify(exampleOf(body.response_format)), body)
  return inWords(last === undefined ? '' : textOfMessage(last), body)
}

/** Calls every tool it may, with arguments in pieces. */
function toolCalls(body: Exchange['body']): Omit<Choice, 'index'> {
  const chosen = JSON.stringify(body.tool_choice ?? '')
  const names = toolsOf(body).map((tool) => tool.function.name)
  const called = names.filter((name) => !chosen.includes('"name"') || chosen.includes(JSON.stringify(name)))
  const deltas = called.flatMap((name, index) => {
    const text = JSON.stringify({ city: 'Zürich', days: index + 1 })
    const pieces = [text.slice(0, 7), text.slice(7, 11), text.slice(11)]
    return [
      { tool_calls: [{ index, id: `call_${index}`, type: 'function', function: { name, arguments: '' } }] },
      ...pieces.map((piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
    ]
  })
  return { deltas, finish_reason: 'tool_calls' }
}

function inWords(text: string, body: Exchange['body']): Omit<Choice, 'index'> {
  const stops = Array.isArray(body.stop) ? body.stop.map(String) : []
  const end = Math.min(text.length, ...stops.map((stop) => text.indexOf(stop)).filter((at) => at >= 0))
  const words = text.slice(0, end).match(/\s*\S+/g) ?? []
  const most = Number(body.max_tokens ?? body.max_completion_tokens ?? Number.POSITIVE_INFINITY)
  const kept = words.slice(0, most)
  const thought =
    body.reasoning_effort === undefined
      ? []
      : [{ reasoning_content: `effort ${JSON.stringify(body.reasoning_effort)}` }]
  const said = kept.map((content) => ({
    content,
    ...(body.logprobs === true && { logprobs: scoreOf(content, body) }),
  }))
  return { deltas: [...thought, ...said], finish_reason: kept.length < words.length ? 'length' : 'stop' }
}

function scoreOf(token: string, body: Exchange['body']): unknown {
  const others = Array.from({ length: Number(body.top_logprobs ?? 0) }, (_, at) => ({
    token: `t${at}`,
    logprob: -at,
    bytes: null,
  }))
  return { token, logprob: -0.5, bytes: [...new TextEncoder().encode(token)], top_logprobs: others }
}

/** The least value that a response format allows. */
function exampleOf(format: unknown): unknown {
  const { json_schema: named } = Object(format)
  return named === undefined ? {} : exampleFor(Object(named).schema)
}

function exampleFor(schema: unknown): unknown {
  const { type, properties = {}, required = [], items, enum: values } = Object(schema)
  if (Array.isArray(values)) return values[0]
  if (type === 'object')
    return Object.fromEntries(required.map((name: string) => [name, exampleFor(properties[name])]))
  if (type === 'array') return [exampleFor(items)]
  if (type === 'integer' || type === 'number') return 1
  return type === 'boolean' ? true : 'text'
}

function usageOf(body: Exchange['body'], choices: readonly Choice[]): unknown {
  const prompt_tokens = wordCount(promptOf({ body }))
  const deltas = choices.flatMap((choice) => choice.deltas)
  const reasoning_tokens = deltas.filter((delta) => 'reasoning_content' in delta).length
  const completion_tokens = deltas.length
  return {
    prompt_tokens,
    completion_tokens,
    total_tokens: prompt_tokens + completion_tokens,
    prompt_tokens_details: { cached_tokens: prompt_tokens > 8 ? 8 : 0, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens, audio_tokens: 0 },
  }
}
