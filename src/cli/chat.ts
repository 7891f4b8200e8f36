import type { ModelClient } from '../client/models/create-model-client.ts'
import { Failure } from '../failure/failure.ts'
import { converse } from './chat-loop.ts'
import { type Command, textOption } from './command.ts'
import { modelOption } from './generate.ts'
import { generationOptions, generationSettings } from './generate-options.ts'
import { shortName } from './models.ts'
import { modelAccess, modelUrlOption, whoCalls } from './models-access.ts'

export const chat: Command = {
  name: 'chat',
  group: 'Tools and models',
  summary: 'talk with a model',
  options: {
    url: modelUrlOption,
    model: {
      ...modelOption,
      description: 'The model (default the first that can answer; "postern models" lists them).',
    },
    ...generationOptions,
  },
  details: [
    'Each line is a message; the model knows all that was said before. Ctrl-C stops an answer, and once more ends the',
    'chat; so do /quit and Ctrl-D. /clear forgets what was said. Without a terminal each line of standard input is a',
    'message, and the answers are on standard output.',
    whoCalls,
  ].join('\n'),
  example: 'postern chat --model tiny --max-tokens 100',
  run: async (call) => {
    const settings = generationSettings(call)
    const client = await modelAccess(call)
    const model = textOption(call, 'model') ?? (await firstModel(client))
    return converse(call, { client, model, settings })
  },
}

async function firstModel(client: ModelClient): Promise<string> {
  for await (const { name, supportedGenerationMethods: methods } of client.models({ maxPages: 1000 }))
    if (methods === undefined || methods.includes('generateContent')) return shortName(name)
  throw new Failure('not-found', 'the server has no model that answers; "postern models" lists what it has')
}
