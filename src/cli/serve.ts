import type { Command } from './command.ts'
import { configRequest, listenOptions } from './listen-options.ts'

export const serve: Command = {
  name: 'serve',
  group: 'Programs',
  summary: 'run the gateway',
  options: listenOptions('server'),
  details: [
    'Logs JSON lines to standard output; the line "ready" says where it listens.',
    'SIGTERM or SIGINT finishes what is in flight and ends; a second one ends at once.',
    'SIGHUP reads the configuration again.',
  ].join('\n'),
  example: 'postern serve --config postern.yaml --port 8080',
  run: async (call) => {
    // Loaded when needed: the other commands need no server.
    const { loadConfig } = await import('./load-config.ts')
    const { openLog } = await import('./open-log.ts')
    const { startServing } = await import('./serve-gateway.ts')
    const { stopOn } = await import('./stop-on.ts')
    const { reloadOnHangup } = await import('./reload-on-hangup.ts')
    const { io } = call
    const started = reloadOnHangup(io)
    const asked = configRequest(call)
    const loaded = await loadConfig(asked, io)
    const { file, config } = loaded
    const serving = await startServing(loaded, openLog(config, io, { runsTools: true }))
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
