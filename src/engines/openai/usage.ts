import type { UsageMetadata } from '../content.ts'
import { countAt, type JsonObject, objectAt } from './values.ts'

/** The OpenAI wire counts reasoning among the completion; the Gemini wire counts it apart. */
export function usageMetadata(usage: JsonObject): UsageMetadata | undefined {
  const prompt = countAt(usage, 'prompt_tokens')
  if (prompt === undefined) return undefined
  const completion = countAt(usage, 'completion_tokens')
  const thoughts = countAt(objectAt(usage, 'completion_tokens_details') ?? {}, 'reasoning_tokens')
  const cached = countAt(objectAt(usage, 'prompt_tokens_details') ?? {}, 'cached_tokens')
  return {
    promptTokenCount: prompt,
    ...(completion !== undefined && { candidatesTokenCount: completion - within(thoughts ?? 0, completion) }),
    ...(thoughts !== undefined && thoughts > 0 && { thoughtsTokenCount: thoughts }),
    ...(cached !== undefined && cached > 0 && { cachedContentTokenCount: cached }),
    totalTokenCount: countAt(usage, 'total_tokens') ?? prompt + (completion ?? 0),
  }
}

/** Some servers count reasoning beside the completion: then it is more than that can hold. */
function within(part: number, whole: number): number {
  return part <= whole ? part : 0
}
