import type { Config } from '../config/config-schema.ts'
import { listen } from '../http/listen.ts'
import type { Log } from '../log/log.ts'
import { openSources } from '../mcp/open-sources.ts'
import type { ConfiguredSource } from '../mcp/tool-set.ts'
import { openStore } from '../store/open-store.ts'
import type { Store } from '../store/store.ts'
import { createGateway, type Gateway } from './gateway.ts'
import { openModelSurface } from './model-surface.ts'

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
  const toolSources: ConfiguredSource[] = []
  try {
    toolSources.push(...(await configuredSources({ config, log, directory })))
    const modelSurface = openModelSurface({ config, store, log, directory })
    const gateway = createGateway({ config, store, log, toolSources, modelSurface })
    const url = await listen(gateway, config.server)
    return { gateway, url, dialect: store.dialect }
  } catch (error) {
    await Promise.allSettled(toolSources.map(({ source }) => source.close()))
    await store.close()
    throw error
  }
}

/** Without an issuer no tool can be called, so none is opened. */
async function configuredSources({
  config,
  log,
  directory,
}: StartOptions): Promise<readonly ConfiguredSource[]> {
  if (config.issuers.length === 0) return []
  const opened = await openSources(config.tools, { log, directory })
  return opened.map((source, index) => ({ source, scopes: config.tools.sources[index]?.scopes ?? {} }))
}
