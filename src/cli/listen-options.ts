import { Failure } from '../failure/failure.ts'
import { type Call, type CommandOption, configOption, textOption } from './command.ts'
import type { ConfigRequest } from './load-config.ts'

/** The options of a program that listens; `section` is where the configuration says the same. */
export function listenOptions(section: 'server' | 'authority'): Readonly<Record<string, CommandOption>> {
  return {
    config: configOption,
    host: { type: 'string', placeholder: 'HOST', description: `Listen here instead of ${section}.host.` },
    port: {
      type: 'string',
      placeholder: 'PORT',
      description: `Listen here instead of ${section}.port; 0 takes any free port.`,
    },
  }
}

export function configRequest(call: Call): ConfigRequest {
  return {
    file: textOption(call, 'config'),
    host: textOption(call, 'host'),
    port: portNumber(textOption(call, 'port')),
  }
}

function portNumber(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text)
  throw new Failure('invalid-request', `--port must be a number from 0 to 65535, not "${text}"`)
}
