import type { AnswerPiece, GenerateRequest } from '../content.ts'
import type { EngineCall, PieceEngine } from '../engine.ts'
import { AnswerReader } from './answer.ts'
import { countTokens } from './count.ts'
import { embedTexts } from './embed.ts'
import { type OpenaiEngineOptions, plainDialect, usualLimits } from './options.ts'
import { chatRequest } from './request.ts'
import { streamPieces, wholePieces } from './stream.ts'
import { createUpstream } from './upstream.ts'

/** A model behind any server that speaks the OpenAI wire. */
export function createOpenaiEngine(options: OpenaiEngineOptions): PieceEngine {
  const { model, log } = options
  const dialect = { ...plainDialect, ...options.dialect }
  const upstream = createUpstream(options)

  async function* generate(
    request: GenerateRequest,
    call: EngineCall,
  ): AsyncGenerator<AnswerPiece, void, undefined> {
    const isStream = call.isStream !== false
    const body = chatRequest(request, { model, dialect, isStream })
    const wantsThoughts = request.generationConfig?.thinkingConfig?.includeThoughts === true
    const reader = new AnswerReader({ wantsThoughts })
    const { isJson, chunks } = await upstream.open({ path: '/chat/completions', body, call })
    // A server that cannot stream answers whole, whatever it was asked for.
    const read = isJson || !isStream ? wholePieces : streamPieces
    let hasUsage = false
    for await (const piece of read(chunks, reader, upstream.refused)) {
      hasUsage ||= piece.usageMetadata !== undefined
      yield piece
    }
    if (!hasUsage)
      log.warn({ model, requestId: call.requestId }, 'the upstream did not say what the answer used')
  }

  return {
    kind: 'pieces',
    operations: new Set([
      'generateContent',
      'streamGenerateContent',
      'countTokens',
      'embedContent',
      'batchEmbedContents',
    ]),
    limits: options.limits ?? usualLimits,
    version: model,
    generate,
    countTokens: (request, call) => countTokens(request, call, { upstream, options: { model, dialect } }),
    embed: (inputs, call) => embedTexts(inputs, call, { upstream, model, ignored: dialect.ignored }),
    close: upstream.close,
  }
}
