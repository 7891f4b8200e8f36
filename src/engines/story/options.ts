import { Failure } from '../../failure/failure.ts'
import type { GenerationConfig } from '../content.ts'
import { mostCandidates, storyLimits } from './limits.ts'
import type { Writing } from './messages.ts'

type Options = Omit<Writing, 'prompt' | 'form'>
interface NumberRule {
  readonly from: number
  readonly to: number
  readonly isWhole: boolean
}

const whole = (from: number, to: number): NumberRule => ({ from, to, isWhole: true })
const between = (from: number, to: number): NumberRule => ({ from, to, isWhole: false })

const rules = {
  candidateCount: whole(1, mostCandidates),
  maxOutputTokens: whole(1, 2 ** 31 - 1),
  seed: whole(-(2 ** 31), 2 ** 31 - 1),
  topK: whole(1, 2 ** 31 - 1),
  topP: between(0, 1),
  temperature: between(0, 2),
  presencePenalty: between(-2, 2),
  frequencyPenalty: between(-2, 2),
} as const satisfies Partial<Record<keyof GenerationConfig, NumberRule>>

const mostStops = 5

/** Temperature 1 and topP 0.9 unless the request says otherwise, as the model's authors use it. */
export function optionsOf(config: GenerationConfig, randomSeed: () => number): Options {
  const number = (name: keyof typeof rules, otherwise: number): number => {
    const value = config[name]
    if (value === undefined) return otherwise
    const { from, to, isWhole } = rules[name]
    if (value >= from && value <= to && (!isWhole || Number.isInteger(value))) return value
    return refuse(name, `must be a ${isWhole ? 'whole ' : ''}number from ${from} to ${to}, not ${value}`)
  }
  return {
    candidateCount: number('candidateCount', 1),
    maxOutputTokens: number('maxOutputTokens', storyLimits.outputTokenLimit),
    seed: number('seed', config.seed ?? randomSeed()),
    stopSequences: stopsOf(config.stopSequences ?? []),
    rules: {
      temperature: number('temperature', 1),
      topP: number('topP', 0.9),
      topK: number('topK', 0),
      presencePenalty: number('presencePenalty', 0),
      frequencyPenalty: number('frequencyPenalty', 0),
    },
  }
}

function stopsOf(stopSequences: readonly string[]): readonly string[] {
  if (stopSequences.length > mostStops) refuse('stopSequences', `must be at most ${mostStops}`)
  if (stopSequences.includes('')) refuse('stopSequences', 'must not hold an empty text')
  return stopSequences
}

function refuse(name: string, problem: string): never {
  const field = `GenerateContentRequest.generationConfig.${name}`
  throw new Failure('invalid-request', `${field} ${problem}`, { field })
}
