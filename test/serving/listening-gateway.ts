import type { Decision } from '../../src/auth/decision.ts'
import { parseConfig } from '../../src/config/parse-config.ts'
import { createGateway } from '../../src/gateway/gateway.ts'
import { openModelSurface } from '../../src/gateway/model-surface.ts'
import { createLog } from '../../src/log/log.ts'
import type { KeyOrder } from '../../src/store/api-key-order.ts'
import { createApiKeys } from '../../src/store/api-keys.ts'
import { microsecondClock } from '../../src/store/clock.ts'
import { openStore } from '../../src/store/open-store.ts'
import { noteSecret } from '../records/secret-search-notes.ts'
import { portOf } from './raw-connection.ts'

export interface ListeningGateway extends AsyncDisposable {
  readonly port: number
  readonly decisions: Decision[]
  readonly key: (order: Omit<KeyOrder, 'name'>) => Promise<string>
}

/** A gateway with all its surfaces on a port of loopback; no issuer of its tokens answers. */
export async function startListeningGateway(server: object = {}): Promise<ListeningGateway> {
  const settings = {
    server,
    store: 'sqlite::memory:',
    issuers: [{ issuer: 'https://login.example' }],
    models: [{ name: 'house', engine: 'openai', baseUrl: 'http://127.0.0.1:1/v1', model: 'x' }],
  }
  const log = createLog({ level: 'silent' })
  const config = parseConfig(JSON.stringify(settings), { file: 'test', env: {} })
  const store = await openStore(config.store, { log })
  const decisions: Decision[] = []
  const gateway = createGateway({
    config,
    store,
    log,
    modelSurface: openModelSurface({ config, store, log, directory: '.' }),
    onDecision: (decision) => void decisions.push(decision),
  })
  await gateway.listen({ host: '127.0.0.1', port: 0 })
  const apiKeys = createApiKeys(store, microsecondClock())
  return {
    port: portOf(gateway.server),
    decisions,
    key: async (order) => {
      const { key } = await apiKeys.create({ name: 'test', principal: 'test', ...order })
      noteSecret('an API key', key)
      return key
    },
    [Symbol.asyncDispose]: gateway.stop,
  }
}
