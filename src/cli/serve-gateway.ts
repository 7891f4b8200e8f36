import { type StartedGateway, startGateway } from '../gateway/start-gateway.ts'
import type { Log } from '../log/log.ts'
import type { LoadedConfig } from './load-config.ts'
import type { Stoppable } from './stop-on.ts'

export interface Serving extends StartedGateway, Stoppable {}

export async function startServing({ config, directory }: LoadedConfig, log: Log): Promise<Serving> {
  const started = await startGateway({ config, log, directory })
  return { ...started, log, stop: () => started.gateway.stop() }
}
