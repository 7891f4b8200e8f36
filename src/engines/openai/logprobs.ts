import type { Candidate } from '../content.ts'
import { type JsonObject, numberAt, objectsAt, textAt } from './values.ts'

interface TokenScore {
  readonly token: string
  readonly logProbability: number
}

/** A candidate with the likelihood of its tokens, as the Gemini wire writes it. */
export interface ScoredCandidate extends Candidate {
  readonly avgLogprobs?: number
  readonly logprobsResult?: {
    readonly chosenCandidates: readonly TokenScore[]
    readonly topCandidates?: readonly { readonly candidates: readonly TokenScore[] }[]
  }
}

export function logprobFields(logprobs: JsonObject): Pick<ScoredCandidate, 'avgLogprobs' | 'logprobsResult'> {
  const tokens = objectsAt(logprobs, 'content')
  const chosen = scores(tokens)
  if (chosen.length === 0) return {}
  const top = tokens.map((token) => ({ candidates: scores(objectsAt(token, 'top_logprobs')) }))
  return {
    avgLogprobs: chosen.reduce((sum, { logProbability }) => sum + logProbability, 0) / chosen.length,
    logprobsResult: {
      chosenCandidates: chosen,
      ...(top.some(({ candidates }) => candidates.length > 0) && { topCandidates: top }),
    },
  }
}

function scores(tokens: readonly JsonObject[]): readonly TokenScore[] {
  return tokens.flatMap((token) => {
    const logProbability = numberAt(token, 'logprob')
    return logProbability === undefined ? [] : [{ token: textAt(token, 'token') ?? '', logProbability }]
  })
}
