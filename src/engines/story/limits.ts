import type { EngineLimits } from '../engine.ts'

/** What the model can keep in mind: prompt and answer together. */
export const contextTokens = 256

/** A longer prompt loses its beginning, so that at least 64 tokens remain for the answer. */
export const storyLimits: EngineLimits = { inputTokenLimit: 192, outputTokenLimit: contextTokens - 1 }

export const mostCandidates = 8
