import { sendError } from './errors.ts'
import { type Exchange, messagesOf, sendJson, textOfMessage, toolsOf } from './exchange.ts'

export function listModels({ response }: Exchange): unknown {
  const models = ['echo', 'tools'].map((id) => ({
    id,
    object: 'model',
    created: 1_760_000_000,
    owned_by: 'test',
  }))
  return sendJson(response, { object: 'list', data: models })
}

/** Answers in reverse, as the wire allows: only `index` says what belongs to what. */
export function embed({ kind, body, response }: Exchange): unknown {
  const input = Array.isArray(body.input) ? body.input.map(String) : [String(body.input)]
  if (body.model === 'short')
    return sendJson(response, { object: 'list', data: [], usage: { prompt_tokens: 1 } })
  if (body.model === 'nope')
    return sendError(response, {
      kind,
      status: 404,
      message: 'The model `nope` does not exist.',
      code: 'model_not_found',
    })
  const size = typeof body.dimensions === 'number' ? body.dimensions : 4
  const data = input.map((text, index) => ({
    object: 'embedding',
    index,
    embedding: Array.from({ length: size }, (_, at) => (text.length + at) / 64),
  }))
  const tokens = input.reduce((sum, text) => sum + wordCount(text), 0)
  return sendJson(response, {
    object: 'list',
    data: data.reverse(),
    model: body.model,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  })
}

/** vLLM counts messages, llama.cpp a text (and nothing at all when it gets none), OpenAI neither. */
export function tokenize({ kind, body, response }: Exchange): unknown {
  if (kind === 'openai')
    return sendError(response, { kind, status: 404, message: 'Invalid URL (POST /tokenize)' })
  if (kind === 'llama') {
    const words = typeof body.content === 'string' ? wordCount(body.content) : 0
    return sendJson(response, { tokens: Array.from({ length: words }, (_, at) => at) })
  }
  const text = promptOf({ body })
  const tokens = Array.from({ length: wordCount(text) }, (_, at) => at)
  return sendJson(response, { count: tokens.length, max_model_len: 4096, tokens, token_strs: null })
}

export function applyTemplate(exchange: Exchange): unknown {
  const { kind, response } = exchange
  if (kind !== 'llama') return sendError(response, { kind, status: 404, message: 'Not Found' })
  return sendJson(response, { prompt: promptOf(exchange) })
}

export function wordCount(text: string): number {
  return text.split(/\s+/).filter((word) => word !== '').length
}

/** A word for each message, each tool, and what is said. */
export function promptOf({ body }: Pick<Exchange, 'body'>): string {
  const said = messagesOf(body).map((message) => `<${message.role}> ${textOfMessage(message)}`)
  const tools = toolsOf(body).map((tool) => `<tool:${tool.function.name}>`)
  return [...tools, ...said, '<assistant>'].join(' ')
}
