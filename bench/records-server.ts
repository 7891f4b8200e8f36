import { Type } from 'typebox'
import { parseConfig } from '../src/config/parse-config.ts'
import { createGateway } from '../src/gateway/gateway.ts'
import { openRecords } from '../src/gateway/open-records.ts'
import { listen } from '../src/http/listen.ts'
import { createLog } from '../src/log/log.ts'
import { defineTool } from '../src/mcp/define-tool.ts'
import { openStore } from '../src/store/open-store.ts'
import type { RecordsSettings, RecordsUsage } from './records-target.ts'
import { scope, toolName } from './tools-wire.ts'

/** The whole gateway with its record of decisions, or without one. */
const settings: RecordsSettings = JSON.parse(String(process.argv[2]))
const log = createLog({ level: 'warn' })
const { mode, directory } = settings
const config = parseConfig(
  JSON.stringify({
    server: { host: '127.0.0.1', port: settings.port },
    store: settings.store,
    issuers: [{ issuer: settings.issuer, algorithms: ['ES256'] }],
    audit: { spool: './spool', ...(mode !== 'off' && { durability: mode }) },
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
const store = await openStore(config.store, { log, directory })
const records = mode === 'off' ? undefined : await openRecords({ config, store, log, directory })
const gateway = createGateway({
  config,
  log,
  store,
  toolSources: [{ source }],
  onDecision: records?.onDecision,
  admission: records?.before(),
})
await listen(gateway, config.server)

process.on('message', () => {
  void report().then((usage) => process.send?.(usage))
})
process.on('disconnect', () => process.exit(0))
process.send?.('ready')

/** Waits until all records are in the store. */
async function report(): Promise<RecordsUsage> {
  const start = performance.now()
  while ((records?.state().spoolBytes ?? 0) > 0) await new Promise((resolve) => setTimeout(resolve, 1))
  const { seq } = await store.db.selectFrom('audit_chain').select('seq').executeTakeFirstOrThrow()
  const { user, system } = process.cpuUsage()
  return {
    behindMs: performance.now() - start,
    recorded: seq,
    dropped: records?.state().dropped ?? 0,
    cpuSeconds: (user + system) / 1e6,
  }
}
