import type { Config } from '../config/config-schema.ts'
import { listen } from '../http/listen.ts'
import type { Log } from '../log/log.ts'
import { openStore } from '../store/open-store.ts'
import type { Store } from '../store/store.ts'
import { createGateway, type Gateway } from './gateway.ts'

export interface StartOptions {
  readonly config: Config
  readonly log: Log
  /** Where relative paths of the configuration begin. */
  readonly directory: string
}

export interface StartedGateway {
  readonly gateway: Gateway
  /** Where it answers on this machine. */
  readonly url: string
  readonly dialect: Store['dialect']
}

/** Opens the store, brings it up to date and listens; whatever fails, nothing stays open. */
export async function startGateway({ config, log, directory }: StartOptions): Promise<StartedGateway> {
  const store = await openStore(config.store, { log, directory })
  try {
    const gateway = createGateway({ config, store, log })
    const url = await listen(gateway, config.server)
    return { gateway, url, dialect: store.dialect }
  } catch (error) {
    await store.close()
    throw error
  }
}
