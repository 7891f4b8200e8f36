import type { Config } from '../config/config-schema.ts'
import { secretValues } from '../config/mask.ts'
import { type StartedGateway, startGateway } from '../gateway/start-gateway.ts'
import { createLog, type Log, type LogOptions } from '../log/log.ts'
import type { Io, Signal } from './io.ts'
import type { LoadedConfig } from './load-config.ts'

export interface Serving extends StartedGateway {
  readonly log: Log
}

/** What nobody catches is logged before the program ends. */
export function openLog(config: Config, io: Io, level: LogOptions['level'] = config.log.level): Log {
  const log = createLog({ level, secrets: secretValues(config) })
  io.onCrash((error) => {
    log.fatal({ err: error }, 'crashed')
    io.exit(1)
  })
  return log
}

export async function startServing({ config, directory }: LoadedConfig, log: Log): Promise<Serving> {
  const started = await startGateway({ config, log, directory })
  return { ...started, log }
}

export type StopCause = Signal | 'parent gone'

/** The first cause finishes what is in flight, the second one does not wait. Resolves with the exit code. */
export async function stopOn(
  causes: readonly StopCause[],
  { gateway, log }: Serving,
  io: Io,
): Promise<number> {
  const stop = Promise.withResolvers<StopCause>()
  let isStopping = false
  for (const signal of causes)
    listen(io, signal, () => {
      if (isStopping) {
        log.warn({ signal }, 'stopping at once')
        io.exit(1)
      }
      isStopping = true
      stop.resolve(signal)
    })
  log.info({ signal: await stop.promise }, 'stopping')
  await gateway.stop()
  log.info('stopped')
  return 0
}

function listen(io: Io, cause: StopCause, listener: () => void): void {
  if (cause === 'parent gone') io.onOrphaned(listener)
  else io.onSignal(cause, listener)
}
