import { once } from 'node:events'
import type { Migration } from '../../src/store/migrate.ts'
import { openDatabase } from './engines.ts'
import { sampleMigrations } from './sample-migrations.ts'

/** The third migration does all its work and then waits for a word that never comes. */
const stalling: readonly Migration[] = sampleMigrations.map((migration, index) => ({
  name: migration.name,
  up: async (db, dialect) => {
    await migration.up(db, dialect)
    if (index !== 2) return
    process.send?.('halfway')
    await once(process, 'message')
  },
}))

process.send?.('ready')
await once(process, 'message')
await openDatabase(String(process.argv[2]), stalling)
