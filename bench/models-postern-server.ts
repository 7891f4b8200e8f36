import type { Decision } from '../src/auth/decision.ts'
import { parseConfig } from '../src/config/parse-config.ts'
import { createGateway } from '../src/gateway/gateway.ts'
import { openModelSurface } from '../src/gateway/model-surface.ts'
import { listen } from '../src/http/listen.ts'
import { createLog } from '../src/log/log.ts'
import { keyHash } from '../src/store/api-key-secret.ts'
import { createApiKeys } from '../src/store/api-keys.ts'
import { microsecondClock } from '../src/store/clock.ts'
import { openStore } from '../src/store/open-store.ts'
import { model, outputTokens, type ServerSettings } from './models-wire.ts'
import { reportUsage } from './tools-usage.ts'

/** The whole gateway with its defaults: the key is checked, the usage is read, every decision is reported. */
const settings: ServerSettings = JSON.parse(String(process.argv[2]))
const log = createLog({ level: 'info' })
const upstream = { engine: 'gemini', apiKey: 'upstream-key', baseUrl: settings.upstream } as const
const config = parseConfig(
  JSON.stringify({
    server: { host: '127.0.0.1', port: settings.port },
    models: [
      { ...upstream, name: model },
      { ...upstream, name: `${model}-held` },
    ],
  }),
  { file: 'bench', env: {} },
)
const store = await openStore('sqlite::memory:', { log })
const { row } = await createApiKeys(store, microsecondClock()).create({ name: 'bench' })
// The load knows its key before the store is there.
await store.db
  .updateTable('api_keys')
  .set({ hash: keyHash(settings.key) })
  .where('id', '=', row.id)
  .execute()
let counted = 0
const modelSurface = openModelSurface({ config, store, log, directory: '.' })
const onDecision = ({ outcome, tokensOut }: Decision): undefined => {
  if (outcome === 'allow' && tokensOut === outputTokens) counted += 1
}
await listen(createGateway({ config, log, store, modelSurface, onDecision }), config.server)
reportUsage(() => counted)
