import { Type } from 'typebox'
import { parseConfig } from '../src/config/parse-config.ts'
import { createGateway } from '../src/gateway/gateway.ts'
import { listen } from '../src/http/listen.ts'
import { createLog } from '../src/log/log.ts'
import { defineTool } from '../src/mcp/define-tool.ts'
import { openStore } from '../src/store/open-store.ts'
import { reportUsage } from './tools-usage.ts'
import { type ServerSettings, scope, toolName } from './tools-wire.ts'

/** The whole gateway with its defaults: the token, its scopes and the input are checked, every decision is reported. */
const settings: ServerSettings = JSON.parse(String(process.argv[2]))
const log = createLog({ level: 'info' })
const config = parseConfig(
  JSON.stringify({
    server: { host: '127.0.0.1', port: settings.port },
    issuers: [{ issuer: settings.issuer, algorithms: ['ES256'] }],
  }),
  { file: 'bench', env: {} },
)
const tool = defineTool({
  name: toolName,
  description: 'Says it again.',
  scopes: [scope],
  input: Type.Object({ text: Type.String() }, { additionalProperties: false }),
  run: ({ text }) => text,
})
const source = {
  name: 'bench',
  tools: () => [tool],
  onChange: () => undefined,
  close: async () => undefined,
}
let allowed = 0
const gateway = createGateway({
  config,
  log,
  store: await openStore('sqlite::memory:', { log }),
  toolSources: [{ source }],
  onDecision: ({ outcome }) => {
    if (outcome === 'allow') allowed += 1
  },
})
await listen(gateway, config.server)
reportUsage(() => allowed)
