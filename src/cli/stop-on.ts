import type { Log } from '../log/log.ts'
import type { Io, Signal } from './io.ts'

export type StopCause = Signal | 'parent gone'

/** What is to be stopped, and where it logs. */
export interface Stoppable {
  readonly stop: () => Promise<void>
  readonly log: Log
}

/** The first cause finishes what is in flight, the second one does not wait. Resolves with the exit code. */
export async function stopOn(
  causes: readonly StopCause[],
  { stop, log }: Stoppable,
  io: Io,
): Promise<number> {
  const asked = Promise.withResolvers<StopCause>()
  let isStopping = false
  for (const signal of causes)
    listen(io, signal, () => {
      if (isStopping) {
        log.warn({ signal }, 'stopping at once')
        io.exit(1)
      }
      isStopping = true
      asked.resolve(signal)
    })
  log.info({ signal: await asked.promise }, 'stopping')
  await stop()
  log.info('stopped')
  return 0
}

function listen(io: Io, cause: StopCause, listener: () => void): void {
  if (cause === 'parent gone') io.onOrphaned(listener)
  else io.onSignal(cause, listener)
}
