import { Failure } from '../../failure/failure.ts'
import type { GenerateRequest } from '../content.ts'
import type { EngineCall, TokenCount } from '../engine.ts'
import { UpstreamRefusal } from './failure.ts'
import type { OpenaiDialect, OpenaiEngineOptions } from './options.ts'
import { chatRequest } from './request.ts'
import { untranslatable } from './untranslatable.ts'
import type { Upstream } from './upstream.ts'
import { countAt, type JsonObject, textAt } from './values.ts'

export interface Counting {
  readonly upstream: Upstream
  readonly options: Pick<OpenaiEngineOptions, 'model'> & { readonly dialect: OpenaiDialect }
}

/** The OpenAI wire cannot count; vLLM and llama.cpp can, each at a `/tokenize` of its own beside `/v1`. */
export async function countTokens(
  request: GenerateRequest,
  call: EngineCall,
  { upstream, options }: Counting,
): Promise<TokenCount> {
  const { model, messages, tools } = chatRequest(request, { ...options, isStream: false })
  const ask = (path: string, body: JsonObject): Promise<JsonObject> =>
    upstream.ask({ path, body, call }).catch((cause: unknown) => {
      throw cannotCount(model, cause)
    })
  const told = tools === undefined ? { messages } : { messages, tools }
  const counted = await ask('//tokenize', { model, ...told, add_generation_prompt: true })
  const count = countAt(counted, 'count')
  if (count !== undefined) return { totalTokens: count }
  refuseMedia(messages)
  const prompt = textAt(await ask('//apply-template', told), 'prompt')
  if (prompt === undefined) throw cannotCount(model, undefined)
  const { tokens } = await ask('//tokenize', { content: prompt, add_special: true, parse_special: true })
  if (!Array.isArray(tokens)) throw cannotCount(model, undefined)
  return { totalTokens: tokens.length }
}

/** llama.cpp tokenizes texts only: an image would count as nothing. */
function refuseMedia(messages: unknown): void {
  if (/"type":"(?:image_url|input_audio)"/.test(JSON.stringify(messages)))
    throw untranslatable('GenerateContentRequest.contents', 'the server behind this model counts only texts')
}

/** As Google answers when a model lacks an operation. */
function cannotCount(model: unknown, cause: unknown): unknown {
  if (cause !== undefined && !isMissing(cause)) return cause
  const message = `the server behind ${String(model)} has no tokenizer to ask, so countTokens is not supported`
  return new Failure('not-found', message, { cause, reason: 'operation_unsupported' })
}

/** Whatever page says so: what answers beside `/v1` need not be the API. */
function isMissing(cause: unknown): boolean {
  if (!(cause instanceof Failure && cause.cause instanceof UpstreamRefusal)) return false
  const { statusCode } = cause.cause
  return statusCode === 404 || statusCode === 501
}
