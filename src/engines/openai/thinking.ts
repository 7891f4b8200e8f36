import type { GenerationConfig } from '../content.ts'
import { refuseOthers, untranslatable } from './untranslatable.ts'

type Effort = 'none' | 'minimal' | 'low' | 'medium' | 'high'

const levels: ReadonlyMap<string, Effort | undefined> = new Map([
  ['THINKING_LEVEL_UNSPECIFIED', undefined],
  ['MINIMAL', 'minimal'],
  ['LOW', 'low'],
  ['MEDIUM', 'medium'],
  ['HIGH', 'high'],
])

/** The budgets that Google's own OpenAI-compatible API gives to each effort, read the other way round. */
const efforts: readonly (readonly [number, Effort])[] = [
  [0, 'none'],
  [1024, 'low'],
  [8192, 'medium'],
]

/** A level by its name, a budget by the effort it amounts to; `-1` leaves the choice to the model. */
export function reasoningEffort(
  config: NonNullable<GenerationConfig['thinkingConfig']>,
  path: string,
): Effort | undefined {
  refuseOthers(config, path, ['includeThoughts', 'thinkingBudget', 'thinkingLevel'])
  const { thinkingBudget: budget, thinkingLevel: level } = config
  if (level !== undefined && budget !== undefined)
    throw untranslatable(`${path}.thinkingBudget`, 'must not stand beside thinkingLevel; keep one of the two')
  if (level !== undefined) {
    if (!levels.has(level.toUpperCase()))
      throw untranslatable(`${path}.thinkingLevel`, 'must be MINIMAL, LOW, MEDIUM or HIGH')
    return levels.get(level.toUpperCase())
  }
  if (budget === undefined || budget === -1) return undefined
  if (!Number.isInteger(budget) || budget < 0)
    throw untranslatable(`${path}.thinkingBudget`, 'must be a number of tokens, or -1')
  return efforts.find(([most]) => budget <= most)?.[1] ?? 'high'
}
