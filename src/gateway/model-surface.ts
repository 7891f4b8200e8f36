import type { Config } from '../config/config-schema.ts'
import type { Engine } from '../engines/engine.ts'
import { openEngine } from '../engines/open-engine.ts'
import type { Log } from '../log/log.ts'
import { createFileSweep } from '../model-api/file-sweep.ts'
import type { ModelApiOptions } from '../model-api/model-api.ts'
import { createModelTable, type ServedModel } from '../model-api/model-table.ts'
import { createStoredThings } from '../model-api/stored-things.ts'
import type { Store } from '../store/store.ts'
import { createPageTokens } from './page-tokens.ts'

export interface ModelSurface {
  /** The gateway adds who may call, and to whom it is told. */
  readonly options: Omit<ModelApiOptions, 'authenticator' | 'admission' | 'bodies' | 'onDecision'>
  readonly close: () => Promise<void>
}

export interface ModelSurfaceOptions {
  readonly config: Config
  readonly store: Store
  readonly log: Log
  readonly directory: string
}

/** The model API as the configuration has it; undefined where it names no model. */
export function openModelSurface(options: ModelSurfaceOptions): ModelSurface | undefined {
  const { config, store, log } = options
  if (config.models.length === 0) return undefined
  const engines = new Map(config.models.map((model) => [model.name, openEngine(model, options)]))
  const { publicUrl, bodyLimitBytes, trustedProxies } = config.server
  const stored = createStoredThings({ store, publicUrl })
  const sweep = createFileSweep({ ...stored, log })
  return {
    options: {
      ...config,
      publicUrl,
      trustedProxies,
      authorizationServers: config.issuers.map(({ issuer }) => issuer),
      models: createModelTable(servedModels(config, engines), config.aliases),
      tokens: createPageTokens(config.paging),
      stored,
      bodyLimit: Math.max(bodyLimitBytes, leastBodyLimit),
      log,
    },
    close: async () => {
      await sweep.stop()
      await Promise.allSettled([...engines.values()].map((engine) => engine.close()))
    },
  }
}

/** Images and sound come inside the request; the Gemini API takes as much. */
const leastBodyLimit = 20 * 1024 * 1024

function servedModels(config: Config, engines: ReadonlyMap<string, Engine>): readonly ServedModel[] {
  return config.models.flatMap(({ name, fallbacks }) => {
    const engine = engines.get(name)
    if (engine === undefined) return []
    return [{ name, engine, fallbacks: fallbacks.flatMap((other) => engines.get(other) ?? []) }]
  })
}
