import { ClientError } from '../client/client-error.ts'
import type { ToolServer } from '../client/tools/tool.ts'
import { nearestText } from '../config/nearest-text.ts'
import { Failure } from '../failure/failure.ts'
import { argumentOptions, readArguments } from './call-tool-arguments.ts'
import { printResult } from './call-tool-output.ts'
import { createCallProgress } from './call-tool-progress.ts'
import { type Call, type Command, jsonOption, onlyWord } from './command.ts'
import { urlOption } from './server-url.ts'
import { connected, listedTools } from './tools-connection.ts'

export const callTool: Command = {
  name: 'call',
  group: 'Tools and models',
  summary: 'call a tool',
  words: 'TOOL',
  options: { url: urlOption, ...argumentOptions, json: jsonOption },
  details: [
    'Arguments are read as the schema of the tool has them: --arg count=3 is a number where it wants one, --arg tag=a',
    '--arg tag=b a list. --arg text=@FILE takes the content of a file, @- standard input, and @@ stands for one @.',
    'If the tool needs more than you have allowed, you are asked in the browser, and the call goes on.',
    'The exit code is 1 where the tool says that it failed.',
  ].join('\n'),
  example: 'postern call echo --arg text=hello',
  run: async (call) => {
    const name = onlyWord(call, 'tool; "postern tools" lists them')
    await using connection = await connected(call)
    const all = await listedTools(connection.tools)
    const tool = all.find((listed) => listed.name === name)
    const args = await readArguments(call, tool ?? { name, inputSchema: {} })
    const result = await callOf(call, connection.tools, { name, args }).catch((error: unknown) => {
      const names = all.map((listed) => listed.name)
      throw tool === undefined ? notListed(error, name, names) : error
    })
    printResult(call, result)
    return result.isError ? 1 : 0
  },
}

interface Order {
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
}

async function callOf(
  { io }: Call,
  server: ToolServer,
  { name, args }: Order,
): ReturnType<ToolServer['call']> {
  const progress = createCallProgress(io)
  try {
    return await server.call(name, args, { onProgress: progress.show })
  } finally {
    progress.clear()
  }
}

const unknownTool: ReadonlySet<string> = new Set(['unknown_tool', 'invalid_params'])

/** It is called all the same, as a server may hide what somebody has not allowed yet. */
function notListed(error: unknown, name: string, names: readonly string[]): unknown {
  if (!(error instanceof ClientError && unknownTool.has(error.code))) return error
  const nearest = nearestText(name, names)
  const meant = nearest?.isClose === true ? `; did you mean ${nearest.text}?` : '.'
  return new Failure('not-found', `${error.message}${meant} "postern tools" lists what there is.`, {
    cause: error,
  })
}
