import type { Config } from '../config/config-schema.ts'
import { listen } from '../http/listen.ts'
import type { Limiter } from '../limits/limiter.ts'
import type { Log } from '../log/log.ts'
import { openSources, type SourceSurroundings } from '../mcp/open-sources.ts'
import type { ConfiguredSource } from '../mcp/tool-set.ts'
import { openStore } from '../store/open-store.ts'
import type { Store } from '../store/store.ts'
import { createGateway, type Gateway } from './gateway.ts'
import { type ModelSurface, openModelSurface } from './model-surface.ts'
import { openLimits } from './open-limits.ts'
import { openRecords, type Records } from './open-records.ts'
import { spendTokens } from './spend-tokens.ts'
import { warnOfStrayLimits } from './stray-limits.ts'
import { createTextModels } from './text-models.ts'

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

/** All that the configuration names, as `postern serve` runs it: opens it and listens; whatever fails, nothing stays open. */
export async function startGateway(options: StartOptions): Promise<StartedGateway> {
  const { config, log, directory } = options
  const store = await openStore(config.store, { log, directory })
  const gateway = await assemble(options, store)
  try {
    const url = await listen(gateway, config.server)
    return { gateway, url, dialect: store.dialect }
  } catch (error) {
    await gateway.stop()
    throw error
  }
}

/** From here on the gateway owns what it is given, the store included. */
async function assemble({ config, log, directory }: StartOptions, store: Store): Promise<Gateway> {
  const toolSources: ConfiguredSource[] = []
  let modelSurface: ModelSurface | undefined
  let records: Records | undefined
  let limits: Limiter | undefined
  try {
    limits = await openLimits(config, log)
    records = await openRecords({ config, store, log, directory })
    modelSurface = openModelSurface({ config, store, log, directory })
    const models = modelSurface && createTextModels(modelSurface.options, { log, limits })
    toolSources.push(...(await configuredSources(config, { log, directory, models })))
    warnOfStrayLimits(config.limits, toolSources, log)
    return createGateway({
      config,
      store,
      log,
      toolSources,
      modelSurface,
      records,
      limits,
      onDecision: spendTokens(limits, records.onDecision),
      admission: records.before(limits),
    })
  } catch (error) {
    const sources = toolSources.map(({ source }) => source.close())
    await Promise.allSettled([modelSurface?.close(), ...sources, records?.close(), limits?.close()])
    await store.close()
    throw error
  }
}

/** Without an issuer no tool can be called, so none is opened. */
async function configuredSources(
  config: Config,
  surroundings: SourceSurroundings,
): Promise<readonly ConfiguredSource[]> {
  if (config.issuers.length === 0) return []
  const opened = await openSources(config.tools, surroundings)
  return opened.map((source, index) => ({ source, scopes: config.tools.sources[index]?.scopes ?? {} }))
}
