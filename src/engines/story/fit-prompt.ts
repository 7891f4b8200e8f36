import { storyLimits } from './limits.ts'
import type { Tokenizer } from './tokenizer.ts'
import { beginning } from './vocabulary.ts'

/** More characters than the longest pieces could fill; what is before them cannot count. */
const enoughCharacters = 8192

/** The tokens of the prompt; of a long one those of its end, for that is what the answer goes on from. */
export function fitPrompt(prompt: string, tokenizer: Tokenizer): readonly number[] {
  const end = prompt.slice(-enoughCharacters).replace(/^[\udc00-\udfff]/, '')
  const tokens = tokenizer.encode(end)
  const limit = storyLimits.inputTokenLimit
  return tokens.length <= limit ? tokens : [beginning, ...tokens.slice(1 - limit)]
}
