import type { TextModel, TextModels } from '../../src/mcp/text-models.ts'
import { createTokenCodec } from '../../src/paging/token-codec.ts'

/** Models without an engine: each says the prompt back, unless told otherwise. */
export function textModels(
  names: readonly string[],
  generate: TextModel['generate'] = async ({ prompt }, { used }) => {
    used(1, 1)
    return { text: prompt, model: names[0] ?? '', finishReason: 'STOP', tokensIn: 1, tokensOut: 1 }
  },
): TextModels {
  const limits = { version: 'echo-1', inputTokenLimit: 10, outputTokenLimit: 20 }
  const all = names.map((name): TextModel => ({ name, ...limits, generate }))
  return {
    all,
    find: (name) => all.find((model) => model.name === name),
    tokens: createTokenCodec({ secrets: ['a secret of the tests, 32 characters'] }),
  }
}
