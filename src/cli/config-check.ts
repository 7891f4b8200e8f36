import type { Config } from '../config/config-schema.ts'
import { Failure } from '../failure/failure.ts'
import { type Call, type Command, hasFlag, textOption } from './command.ts'

export const configCheck: Command = {
  name: 'config check',
  group: 'Else',
  summary: 'check a configuration and print it in full, secrets masked',
  options: {
    config: {
      type: 'string',
      placeholder: 'FILE',
      description: 'The file to check (default ./postern.yaml).',
    },
    json: { type: 'boolean', description: 'Print JSON: { ok, config } or { ok, errors }.' },
  },
  details: 'Prints a complete postern.yaml, with every default filled in.',
  example: 'postern config check --config /etc/postern/postern.yaml',
  run: async (call) => (hasFlag(call, 'json') ? checkForMachines(call) : checkForPeople(call)),
}

async function checkForPeople(call: Call): Promise<number> {
  const { formatConfig } = await import('../config/format-config.ts')
  call.io.out(formatConfig(await effective(call)))
  return 0
}

async function checkForMachines(call: Call): Promise<number> {
  try {
    const { maskSecrets } = await import('../config/mask.ts')
    call.io.out(`${JSON.stringify({ ok: true, config: maskSecrets(await effective(call)) })}\n`)
    return 0
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    call.io.out(`${JSON.stringify({ ok: false, errors: error.message.split('\n') })}\n`)
    return 1
  }
}

/** Loaded when needed: the schema is the larger part of the program's start. */
async function effective(call: Call): Promise<Config> {
  const { loadConfig } = await import('./load-config.ts')
  return (await loadConfig({ file: textOption(call, 'config') }, call.io)).config
}
