import { Failure } from '../failure/failure.ts'
import type { Io } from './io.ts'
import { type ConfigRequest, loadConfig } from './load-config.ts'
import type { Serving } from './serve-gateway.ts'

/** To be called once there is something to reload. */
type Started = (serving: Serving, request: ConfigRequest) => void

/** SIGHUP reads the file again; one that comes during the start waits for its end instead of killing the program. */
export function reloadOnHangup(io: Io): Started {
  let reloadNow: (() => Promise<void>) | undefined
  let isAsked = false
  let last = Promise.resolve()
  io.onSignal('SIGHUP', () => {
    if (reloadNow === undefined) isAsked = true
    else last = last.then(reloadNow)
  })
  return (serving, request) => {
    reloadNow = () => reload(serving, request, io)
    if (isAsked) last = last.then(reloadNow)
  }
}

/** A configuration that is wrong or needs a restart changes nothing. */
async function reload({ gateway, log }: Serving, request: ConfigRequest, io: Io): Promise<void> {
  if (gateway.isStopping()) return
  try {
    const { config } = await loadConfig(request, io)
    const changed = gateway.reload(config)
    log.info({ changed }, changed.length === 0 ? 'configuration unchanged' : 'configuration reloaded')
  } catch (error) {
    const reason = error instanceof Failure ? { reason: error.message } : { err: error }
    log.error(reason, 'configuration not reloaded, the old one stays in force')
  }
}
