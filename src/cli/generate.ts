import type { GenerateRequest } from '../client/models/generate-request.ts'
import { Failure } from '../failure/failure.ts'
import { type Call, type Command, type CommandOption, hasFlag, printJson, textOption } from './command.ts'
import { answerPrinter } from './generate-answer.ts'
import { generationOptions, generationSettings } from './generate-options.ts'
import { modelAccess, modelUrlOption, whoCalls } from './models-access.ts'
import { jsonText } from './terminal-text.ts'

export const modelOption: CommandOption = {
  type: 'string',
  placeholder: 'MODEL',
  description: 'The model; "postern models" lists them.',
}

export const generate: Command = {
  name: 'generate',
  group: 'Tools and models',
  summary: 'let a model answer',
  words: '[PROMPT]',
  options: {
    url: modelUrlOption,
    model: modelOption,
    ...generationOptions,
    stream: { type: 'boolean', description: 'Show the answer as it comes (the default, but with --json).' },
    'no-stream': { type: 'boolean', description: 'Show the answer when it is whole.' },
    json: { type: 'boolean', description: 'Print the answer as JSON; with --stream each piece, on a line.' },
  },
  details: `Without a prompt, or with -, it is read from standard input.\n${whoCalls}`,
  example: 'postern generate --model tiny --max-tokens 60 "Once upon a time"',
  run: async (call) => {
    const model = textOption(call, 'model')
    if (model === undefined)
      throw new Failure('invalid-request', 'name the model with --model MODEL; "postern models" lists them')
    if (hasFlag(call, 'stream') && hasFlag(call, 'no-stream'))
      throw new Failure('invalid-request', 'give --stream or --no-stream, not both')
    const request = { ...generationSettings(call), contents: await promptOf(call) }
    return isStreamed(call) ? streamed(call, model, request) : whole(call, model, request)
  },
}

function isStreamed(call: Call): boolean {
  return hasFlag(call, 'json') ? hasFlag(call, 'stream') : !hasFlag(call, 'no-stream')
}

async function promptOf({ words, io }: Call): Promise<string> {
  const typed = words.join(' ')
  const prompt = typed === '' || typed === '-' ? await io.readInput() : typed
  if (prompt.trim() !== '') return prompt
  throw new Failure('invalid-request', 'give a prompt: as a word in quotes, or on standard input')
}

async function streamed(call: Call, model: string, request: GenerateRequest): Promise<number> {
  const client = await modelAccess(call)
  const printer = answerPrinter(call.io)
  for await (const piece of client.stream(model, request)) {
    printer.add(piece)
    if (hasFlag(call, 'json')) call.io.out(`${jsonText(piece)}\n`)
    else printer.print(piece.text)
  }
  return printer.end(hasFlag(call, 'json'))
}

async function whole(call: Call, model: string, request: GenerateRequest): Promise<number> {
  const client = await modelAccess(call)
  const printer = answerPrinter(call.io)
  const answer = await client.generate(model, request)
  printer.add(answer)
  if (hasFlag(call, 'json')) printJson(call, answer)
  else printer.print(answer.text)
  return printer.end(hasFlag(call, 'json'))
}
