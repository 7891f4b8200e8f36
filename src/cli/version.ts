import { readFile } from 'node:fs/promises'
import { type Command, hasFlag } from './command.ts'

export const version: Command = {
  name: 'version',
  group: 'Else',
  summary: 'print the version of postern and of Node',
  options: { json: { type: 'boolean', description: 'Print JSON.' } },
  example: 'postern version --json',
  run: async (call) => {
    const versions = { postern: await packageVersion(), node: process.versions.node }
    call.io.out(
      hasFlag(call, 'json')
        ? `${JSON.stringify(versions)}\n`
        : `postern ${versions.postern} (Node ${versions.node})\n`,
    )
    return 0
  },
}

/** The same two steps up from the source and from the build. */
export async function packageVersion(): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'))
  const found: unknown = Object(manifest).version
  return String(found)
}
