import type { Config } from '../config/config-schema.ts'
import { secretValues } from '../config/mask.ts'
import { createLog, type Log, type LogOptions } from '../log/log.ts'
import { createRareWarning } from '../log/rare-warning.ts'
import type { Io } from './io.ts'

export interface LogWishes {
  readonly level?: LogOptions['level']
  /** The gateway, which runs modules of others: a promise that one of them forgets does not end it. */
  readonly runsTools?: boolean
}

/** What nobody catches is logged before the program ends. */
export function openLog(config: Config, io: Io, { level, runsTools = false }: LogWishes = {}): Log {
  const log = createLog({ level: level ?? config.log.level, secrets: secretValues(config) })
  const crash = (error: unknown): void => {
    log.fatal({ err: error }, 'crashed')
    io.exit(1)
  }
  const warn = createRareWarning(log, io.elapsed)
  io.onCrash(crash)
  io.onRejection(
    runsTools
      ? (reason) => warn('a promise was rejected and nobody waits for it; see the tool that made it', reason)
      : crash,
  )
  return log
}
