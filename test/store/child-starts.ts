import { once } from 'node:events'
import { openDatabase } from './engines.ts'
import { sampleMigrations } from './sample-migrations.ts'

process.send?.('ready')
await once(process, 'message')
const store = await openDatabase(String(process.argv[2]), sampleMigrations)
await store.ping()
process.send?.('up')
await store.close()
process.disconnect?.()
