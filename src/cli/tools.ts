import { type Command, hasFlag, jsonOption, printJson } from './command.ts'
import { urlOption } from './server-url.ts'
import { formatTable } from './table.ts'
import { oneLine } from './terminal-text.ts'
import { argumentNames } from './tools-arguments.ts'
import { connected, listedTools } from './tools-connection.ts'

export const tools: Command = {
  name: 'tools',
  group: 'Tools and models',
  summary: 'list the tools of a server, and the arguments that each takes',
  options: { url: urlOption, json: jsonOption },
  details: 'An argument with a ? may be left out. --json has the whole schemas.',
  example: 'postern tools --url http://127.0.0.1:8080',
  run: async (call) => {
    await using connection = await connected(call)
    const { server } = connection.tools
    const all = await listedTools(connection.tools)
    if (hasFlag(call, 'json')) {
      printJson(call, { server, tools: all })
      return 0
    }
    const rows = all.map((tool) => [
      tool.name,
      argumentNames(tool).join(' '),
      tool.description ?? tool.title ?? '',
    ])
    call.io.out(
      all.length === 0
        ? `${oneLine(server.name)} has no tool that you can see.\n`
        : formatTable(['TOOL', 'TAKES', 'WHAT IT DOES'], shortened(rows, call.io.screen()?.columns), call.io),
    )
    return 0
  },
}

/** Descriptions may be pages long; on a terminal they end with the line, and are never shorter than this. */
const shortest = 24

function shortened(
  rows: readonly (readonly string[])[],
  columns: number | undefined,
): readonly (readonly string[])[] {
  const longest = (index: number): number => Math.max(...rows.map((row) => row[index]?.length ?? 0), 5)
  const room = columns === undefined ? 200 : Math.max(shortest, columns - longest(0) - longest(1) - 4)
  return rows.map(([name = '', takes = '', text = '']) => {
    const line = oneLine(text)
    return [name, takes, line.length <= room ? line : `${line.slice(0, room - 1).trimEnd()}…`]
  })
}
