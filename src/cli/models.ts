import type { Model } from '../client/models/model.ts'
import { type Command, hasFlag, jsonOption, printJson } from './command.ts'
import { everyItem } from './every-item.ts'
import { modelAccess, modelUrlOption, whoCalls } from './models-access.ts'
import { formatTable } from './table.ts'

export const models: Command = {
  name: 'models',
  group: 'Tools and models',
  summary: 'list the models of a server, and what each can do',
  options: { url: modelUrlOption, json: jsonOption },
  details: whoCalls,
  example: 'postern models --json',
  run: async (call) => {
    const client = await modelAccess(call)
    const all = await everyItem(client.models({ prefetch: true, maxPages: 1000 }))
    if (hasFlag(call, 'json')) printJson(call, { models: all })
    else if (all.length === 0) call.io.out('The server has no model that you can see.\n')
    else call.io.out(formatTable(['MODEL', 'READS', 'WRITES', 'CAN'], all.map(row), call.io))
    return 0
  },
}

function row({
  name,
  inputTokenLimit,
  outputTokenLimit,
  supportedGenerationMethods,
}: Model): readonly string[] {
  const methods = supportedGenerationMethods?.join(' ') ?? ''
  return [shortName(name), tokens(inputTokenLimit), tokens(outputTokenLimit), methods]
}

/** As the other commands take it. */
export function shortName(name: string): string {
  return name.replace(/^.*models\//, '')
}

function tokens(limit: number | undefined): string {
  return limit === undefined ? '' : limit.toLocaleString('en-US')
}
