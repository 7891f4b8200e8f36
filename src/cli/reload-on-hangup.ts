import { Failure } from '../failure/failure.ts'
import type { Io } from './io.ts'
import { type ConfigRequest, loadConfig } from './load-config.ts'
import type { Serving } from './serve-gateway.ts'

/** SIGHUP reads the file again; a configuration that is wrong or needs a restart changes nothing. */
export function reloadOnHangup({ gateway, log }: Serving, request: ConfigRequest, io: Io): void {
  const reload = async (): Promise<void> => {
    try {
      const { config } = await loadConfig(request, io)
      const changed = gateway.reload(config)
      log.info({ changed }, changed.length === 0 ? 'configuration unchanged' : 'configuration reloaded')
    } catch (error) {
      const reason = error instanceof Failure ? { reason: error.message } : { err: error }
      log.error(reason, 'configuration not reloaded, the old one stays in force')
    }
  }
  let last = Promise.resolve()
  io.onSignal('SIGHUP', () => {
    last = last.then(reload)
  })
}
