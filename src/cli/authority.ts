import { authorityListener } from '../config/public-url.ts'
import type { Command } from './command.ts'
import { configRequest, listenOptions } from './listen-options.ts'

export const authority: Command = {
  name: 'authority',
  group: 'Programs',
  summary: 'run the authorization server, for those who have none',
  options: listenOptions('authority'),
  details: [
    'Logs JSON lines to standard output; the line "ready" says where it listens and as which issuer.',
    'SIGTERM or SIGINT finishes what is in flight and ends; a second one ends at once.',
    'Needs authority.secret in the configuration. Users, keys and service accounts have commands of their own.',
  ].join('\n'),
  example: 'postern authority --config postern.yaml --port 8081',
  run: async (call) => {
    // Loaded when needed: the other commands need no server.
    const { loadConfig } = await import('./load-config.ts')
    const { openLog } = await import('./open-log.ts')
    const { stopOn } = await import('./stop-on.ts')
    const { logConsole } = await import('./authority-console.ts')
    const { requireSecret } = await import('./authority-secret.ts')
    const { demoCauses, demoUser, ensureDemoUser } = await import('./authority-demo.ts')
    const { io } = call
    const { config, directory } = await loadConfig(
      { ...configRequest(call), listener: authorityListener },
      io,
    )
    requireSecret(config)
    const demo = demoUser(config, io)
    const log = openLog(config, io)
    logConsole(log)
    const { startAuthority } = await import('../authority/start-authority.ts')
    if (demo !== undefined) await ensureDemoUser(demo, { config, directory, log })
    const { url, issuer, stop } = await startAuthority({ config, log, directory, demo })
    io.onSignal('SIGHUP', () => log.warn('SIGHUP ignored: a change of the configuration takes a restart'))
    // Before the line: whoever has read it may send a signal.
    const stopped = stopOn(demo === undefined ? ['SIGTERM', 'SIGINT'] : demoCauses(io), { stop, log }, io)
    log.info({ url, issuer, startup_ms: Math.round(io.elapsed()) }, 'ready')
    return stopped
  },
}
