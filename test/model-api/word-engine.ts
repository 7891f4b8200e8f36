import type { Content, GenerateRequest } from '../../src/engines/content.ts'
import type { PieceEngine } from '../../src/engines/engine.ts'

export interface WordEngine extends PieceEngine {
  /** The requests it was given, as they came. */
  readonly seen: GenerateRequest[]
}

/** An engine without a model: a token is a word, and the answer is what it read, in two pieces. */
export function createWordEngine(): WordEngine {
  const seen: GenerateRequest[] = []
  return {
    kind: 'pieces',
    seen,
    version: 'words-1',
    limits: { inputTokenLimit: 100_000, outputTokenLimit: 100_000 },
    operations: new Set(['generateContent', 'streamGenerateContent', 'countTokens']),
    async *generate(request) {
      seen.push(request)
      const words = wordsIn(request)
      yield { candidates: [{ index: 0, content: { role: 'model', parts: [{ text: words.join(' ') }] } }] }
      yield {
        candidates: [{ index: 0, finishReason: 'STOP' }],
        usageMetadata: {
          promptTokenCount: words.length,
          candidatesTokenCount: words.length,
          totalTokenCount: 2 * words.length,
        },
      }
    },
    countTokens: async (request) => {
      seen.push(request)
      return { totalTokens: wordsIn(request).length }
    },
    embed: async () => [],
    close: async () => undefined,
  }
}

function wordsIn({ systemInstruction, contents }: GenerateRequest): readonly string[] {
  const all: readonly Content[] = [
    ...(systemInstruction === undefined ? [] : [systemInstruction]),
    ...contents,
  ]
  return all
    .flatMap(({ parts = [] }) => parts)
    .flatMap(({ text, inlineData }) => text ?? `<${inlineData?.mimeType ?? 'nothing'}>`)
    .flatMap((text) => text.split(/\s+/))
    .filter((word) => word !== '')
}
