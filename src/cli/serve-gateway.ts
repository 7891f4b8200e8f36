import { secretValues } from '../config/mask.ts'
import { type StartedGateway, startGateway } from '../gateway/start-gateway.ts'
import { createLog, type Log, type LogOptions } from '../log/log.ts'
import type { Io, Signal } from './io.ts'
import type { LoadedConfig } from './load-config.ts'

export interface Serving extends StartedGateway {
  readonly log: Log
}

/** Opens the log and starts the gateway; what nobody catches is logged before the program ends. */
export async function startServing(
  { config, directory }: LoadedConfig,
  io: Io,
  level: LogOptions['level'] = config.log.level,
): Promise<Serving> {
  const log = createLog({ level, secrets: secretValues(config) })
  io.onCrash((error) => {
    log.fatal({ err: error }, 'crashed')
    io.exit(1)
  })
  const started = await startGateway({ config, log, directory })
  return { ...started, log }
}

/** The first signal finishes what is in flight, the second one does not wait. Resolves with the exit code. */
export async function stopOnSignal(
  { gateway, log }: Serving,
  io: Io,
  signals: readonly Signal[],
): Promise<number> {
  const stop = withResolver()
  let isStopping = false
  for (const signal of signals)
    io.onSignal(signal, () => {
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

function withResolver(): { readonly promise: Promise<Signal>; readonly resolve: (signal: Signal) => void } {
  let resolve: (signal: Signal) => void = () => {}
  const promise = new Promise<Signal>((fulfil) => {
    resolve = fulfil
  })
  return { promise, resolve }
}
