import type { Config } from '../config/config-schema.ts'
import { secretValues } from '../config/mask.ts'
import { createLog } from '../log/log.ts'
import { type Clock, microsecondClock } from '../store/clock.ts'
import { openStore } from '../store/open-store.ts'
import type { Store } from '../store/store.ts'
import { type Call, textOption } from './command.ts'
import { loadConfig } from './load-config.ts'

export interface OpenedStore {
  readonly store: Store
  readonly config: Config
  readonly now: Clock
}

/** For operator commands: works on the store of the configuration, and closes it whatever happens. */
export async function withStore<Result>(
  call: Call,
  work: (opened: OpenedStore) => Promise<Result>,
): Promise<Result> {
  const { config, directory } = await loadConfig({ file: textOption(call, 'config') }, call.io)
  // Standard output is for the answer alone.
  const log = createLog({
    level: 'warn',
    secrets: secretValues(config),
    destination: { write: call.io.err },
  })
  const store = await openStore(config.store, { log, directory })
  try {
    return await work({ store, config, now: microsecondClock() })
  } finally {
    await store.close()
  }
}
