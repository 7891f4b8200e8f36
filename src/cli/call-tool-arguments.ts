import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Tool } from '../client/tools/tool.ts'
import { nearestText } from '../config/nearest-text.ts'
import { Failure } from '../failure/failure.ts'
import { readValue } from './call-tool-values.ts'
import { type Call, type CommandOption, textOption, textOptions } from './command.ts'
import { argumentsOf } from './tools-arguments.ts'

export const argumentOptions: Readonly<Record<'arg' | 'json-arg' | 'args', CommandOption>> = {
  arg: {
    type: 'string',
    placeholder: 'NAME=VALUE',
    multiple: true,
    description: 'An argument, its value as the tool wants it; @FILE and @- are read.',
  },
  'json-arg': {
    type: 'string',
    placeholder: 'NAME=JSON',
    multiple: true,
    description: 'An argument, its value as JSON.',
  },
  args: {
    type: 'string',
    placeholder: 'FILE',
    description: 'All arguments as one JSON object, from a file or, with -, from standard input.',
  },
}

type Arguments = Readonly<Record<string, unknown>>
type Called = Pick<Tool, 'name' | 'inputSchema'>

/** What the options say, as the tool wants it; one that stands alone goes before the same in a file. */
export async function readArguments(call: Call, tool: Called): Promise<Arguments> {
  const args = {
    ...(await argumentsInFile(call)),
    ...Object.fromEntries(textOptions(call, 'json-arg').map(jsonArgument)),
    ...(await typedArguments(call, tool)),
  }
  refuseUnknown(args, tool)
  refuseMissing(args, tool)
  return args
}

async function argumentsInFile(call: Call): Promise<Arguments> {
  const file = textOption(call, 'args')
  if (file === undefined) return {}
  const parsed = parseJson(await contentOf(call, file), '--args')
  if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return { ...parsed }
  throw new Failure('invalid-request', '--args must hold one JSON object, such as {"text": "hello"}')
}

function jsonArgument(text: string): readonly [string, unknown] {
  const [name, value] = splitAt(text, '--json-arg')
  return [name, parseJson(value, `--json-arg ${name}`)]
}

async function typedArguments(call: Call, tool: Called): Promise<Arguments> {
  const schemas = new Map(argumentsOf(tool).map(({ name, schema }) => [name, schema]))
  const given = new Map<string, string[]>()
  for (const text of textOptions(call, 'arg')) {
    const [name, value] = splitAt(text, '--arg')
    given.set(name, [...(given.get(name) ?? []), await contentOrText(call, value)])
  }
  return Object.fromEntries(
    [...given].map(([name, values]) => [name, readValue(values, schemas.get(name), `--arg ${name}`)]),
  )
}

function splitAt(text: string, option: string): readonly [name: string, value: string] {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? []
  if (name !== undefined && value !== undefined) return [name, value]
  throw new Failure('invalid-request', `${option} must be NAME=VALUE, such as text=hello; not "${text}"`)
}

async function contentOrText(call: Call, value: string): Promise<string> {
  if (value.startsWith('@@')) return value.slice(1)
  return value.startsWith('@') ? contentOf(call, value.slice(1)) : value
}

async function contentOf({ io }: Call, file: string): Promise<string> {
  if (file === '-') return io.readInput()
  try {
    return await readFile(resolve(io.cwd, file), 'utf8')
  } catch (cause) {
    throw new Failure('invalid-request', `${file} cannot be read; a value that begins with @ is written @@`, {
      cause,
    })
  }
}

function parseJson(text: string, where: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Failure('invalid-request', `${where} is not JSON; a text needs quotes: '"hello"'`, { cause })
  }
}

function refuseUnknown(args: Arguments, tool: Called): void {
  if (tool.inputSchema.additionalProperties !== false) return
  const known = argumentsOf(tool).map(({ name }) => name)
  const unknown = Object.keys(args).find((name) => !known.includes(name))
  if (unknown === undefined) return
  const nearest = nearestText(unknown, known)
  const meant = nearest?.isClose === true ? `; did you mean ${nearest.text}?` : '.'
  const takes = known.length === 0 ? 'none' : known.join(', ')
  throw new Failure(
    'invalid-request',
    `${tool.name} takes no argument "${unknown}"${meant} It takes: ${takes}.`,
  )
}

function refuseMissing(args: Arguments, tool: Called): void {
  const missing = argumentsOf(tool).filter(({ name, isRequired }) => isRequired && !Object.hasOwn(args, name))
  if (missing.length === 0) return
  const names = missing.map(({ name }) => name)
  const how = names.map((name) => `--arg ${name}=…`).join(' ')
  throw new Failure('invalid-request', `${tool.name} needs ${names.join(' and ')}: add ${how}`)
}
