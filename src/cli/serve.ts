import { Failure } from '../failure/failure.ts'
import { type Call, type Command, textOption } from './command.ts'
import type { ConfigRequest } from './load-config.ts'

export const serve: Command = {
  name: 'serve',
  summary: 'run the gateway',
  options: {
    config: {
      type: 'string',
      placeholder: 'FILE',
      description: 'The configuration (default ./postern.yaml if there is one).',
    },
    host: { type: 'string', placeholder: 'HOST', description: 'Listen here instead of server.host.' },
    port: {
      type: 'string',
      placeholder: 'PORT',
      description: 'Listen here instead of server.port; 0 takes any free port.',
    },
  },
  details: [
    'Logs JSON lines to standard output; the line "ready" says where it listens.',
    'SIGTERM or SIGINT finishes what is in flight and ends; a second one ends at once.',
    'SIGHUP reads the configuration again.',
  ].join('\n'),
  example: 'postern serve --config postern.yaml --port 8080',
  run: async (call) => {
    // Loaded when needed: the other commands need no server.
    const { loadConfig } = await import('./load-config.ts')
    const { openLog, startServing, stopOn } = await import('./serve-gateway.ts')
    const { reloadOnHangup } = await import('./reload-on-hangup.ts')
    const { io } = call
    const started = reloadOnHangup(io)
    const asked = configRequest(call)
    const loaded = await loadConfig(asked, io)
    const { file, config } = loaded
    const serving = await startServing(loaded, openLog(config, io))
    const { log, url, dialect } = serving
    // Before the line: whoever has read it may send a signal.
    const stopped = stopOn(['SIGTERM', 'SIGINT'], serving, io)
    const startup = Math.round(io.elapsed())
    log.info({ url, public_url: config.server.publicUrl, store: dialect, startup_ms: startup }, 'ready')
    // A free port that was chosen once stays chosen.
    const port = asked.port === undefined ? undefined : config.server.port
    started(serving, { ...asked, file, port })
    return stopped
  },
}

function configRequest(call: Call): ConfigRequest {
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
