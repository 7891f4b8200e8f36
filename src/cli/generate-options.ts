import type { GenerateRequest } from '../client/models/generate-request.ts'
import { type Call, type CommandOption, textOption } from './command.ts'
import { readNumber } from './read-number.ts'

type Name = 'max-tokens' | 'temperature' | 'seed' | 'system'

/** How a model is to answer. */
export const generationOptions: Readonly<Record<Name, CommandOption>> = {
  'max-tokens': { type: 'string', placeholder: 'NUMBER', description: 'The longest answer, in tokens.' },
  temperature: {
    type: 'string',
    placeholder: 'NUMBER',
    description: 'From 0, the likeliest words, to 2, the wildest.',
  },
  seed: { type: 'string', placeholder: 'NUMBER', description: 'The same seed gives the same answer.' },
  system: { type: 'string', placeholder: 'TEXT', description: 'What the model is told before all else.' },
}

export function generationSettings(
  call: Call,
): Pick<GenerateRequest, 'generationConfig' | 'systemInstruction'> {
  const most = 2 ** 31 - 1
  const config = {
    maxOutputTokens: readNumber(call, 'max-tokens', { from: 1, to: most, isWhole: true }),
    temperature: readNumber(call, 'temperature', { from: 0, to: 2 }),
    seed: readNumber(call, 'seed', { from: -most - 1, to: most, isWhole: true }),
  }
  const given = Object.entries(config).filter(([, value]) => value !== undefined)
  const systemInstruction = textOption(call, 'system')
  return {
    ...(given.length === 0 ? {} : { generationConfig: Object.fromEntries(given) }),
    ...(systemInstruction === undefined ? {} : { systemInstruction }),
  }
}
