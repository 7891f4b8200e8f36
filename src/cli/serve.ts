import { Failure } from '../failure/failure.ts'
import { type Call, type Command, textOption } from './command.ts'
import { freePort } from './free-port.ts'
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
    const { startServing, stopOnSignal } = await import('./serve-gateway.ts')
    const { reloadOnHangup } = await import('./reload-on-hangup.ts')
    const { io } = call
    const asked = await configRequest(call)
    const loaded = await loadConfig(asked, io)
    const serving = await startServing(loaded, io)
    reloadOnHangup(serving, { ...asked, file: loaded.file }, io)
    const { log, url, dialect } = serving
    log.info({ url, store: dialect, startup_ms: Math.round(io.elapsed()) }, 'ready')
    return stopOnSignal(serving, io, ['SIGTERM', 'SIGINT'])
  },
}

async function configRequest(call: Call): Promise<ConfigRequest> {
  const host = textOption(call, 'host')
  const port = portNumber(textOption(call, 'port'))
  // The public URL follows from the port, so the port has to be known first.
  return {
    file: textOption(call, 'config'),
    host,
    port: port === 0 ? await freePort(host ?? '127.0.0.1', 0) : port,
  }
}

function portNumber(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text)
  throw new Failure('invalid-request', `--port must be a number from 0 to 65535, not "${text}"`)
}
