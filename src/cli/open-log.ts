import type { Config } from '../config/config-schema.ts'
import { secretValues } from '../config/mask.ts'
import { createLog, type Log, type LogOptions } from '../log/log.ts'
import type { Io } from './io.ts'

/** What nobody catches is logged before the program ends. */
export function openLog(config: Config, io: Io, level: LogOptions['level'] = config.log.level): Log {
  const log = createLog({ level, secrets: secretValues(config) })
  io.onCrash((error) => {
    log.fatal({ err: error }, 'crashed')
    io.exit(1)
  })
  return log
}
