import { randomBytes } from 'node:crypto'
import { type CallerAuthenticator, createCallerAuthenticator } from '../auth/caller-authenticator.ts'
import { type DecisionHook, guardedHook } from '../auth/decision.ts'
import type { Config } from '../config/config-schema.ts'
import type { Engine } from '../engines/engine.ts'
import { openEngine } from '../engines/open-engine.ts'
import type { Log } from '../log/log.ts'
import { createRareWarning } from '../log/rare-warning.ts'
import { createFileSweep } from '../model-api/file-sweep.ts'
import type { ModelApiOptions } from '../model-api/model-api.ts'
import { createModelTable, type ServedModel } from '../model-api/model-table.ts'
import { createStoredThings } from '../model-api/stored-things.ts'
import { createTokenCodec } from '../paging/token-codec.ts'
import type { Store } from '../store/store.ts'

export interface ModelSurface {
  readonly options: ModelApiOptions
  readonly close: () => Promise<void>
}

export interface ModelSurfaceOptions {
  readonly config: Config
  readonly store: Store
  readonly log: Log
  readonly directory: string
  readonly onDecision?: DecisionHook | undefined
}

/** The model API as the configuration has it; undefined where it names no model. */
export function openModelSurface(options: ModelSurfaceOptions): ModelSurface | undefined {
  const { config, store, log } = options
  if (config.models.length === 0) return undefined
  const engines = new Map(config.models.map((model) => [model.name, openEngine(model, options)]))
  const { publicUrl, bodyLimitBytes } = config.server
  const authenticator = createCallerAuthenticator({
    ...config,
    resource: `${publicUrl}/v1beta`,
    publicUrl,
    keyInQuery: config.apiKeys.inQuery,
    store,
    log,
  })
  const stored = createStoredThings({ store, publicUrl })
  const sweep = createFileSweep({ ...stored, log })
  return {
    options: {
      ...config,
      publicUrl,
      authenticator,
      authorizationServers: config.issuers.map(({ issuer }) => issuer),
      models: createModelTable(servedModels(config, engines), config.aliases),
      tokens: createTokenCodec({
        // Page tokens of a server without configured keys work until it stops.
        secrets: config.paging.keys.length > 0 ? config.paging.keys : [randomBytes(32).toString('base64url')],
        ttlSeconds: config.paging.ttlHours * 3600,
      }),
      stored,
      bodyLimit: Math.max(bodyLimitBytes, leastBodyLimit),
      onDecision: guardedHook(
        options.onDecision,
        createRareWarning(log, () => performance.now()),
      ),
    },
    close: async () => {
      await sweep.stop()
      await close(engines, authenticator)
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

async function close(
  engines: ReadonlyMap<string, Engine>,
  authenticator: CallerAuthenticator,
): Promise<void> {
  await Promise.allSettled([authenticator.close(), ...[...engines.values()].map((engine) => engine.close())])
}
