import { sql } from 'kysely'
import type { Migration } from '../../src/store/migrate.ts'

const names = ['0001-ran', '0002-keys', '0003-events', '0004-sessions', '0005-index']

/** Each writes its name into `ran`, where a second run would show. */
export const sampleMigrations: readonly Migration[] = names.map((name, index) => ({
  name,
  up: async (db) => {
    if (index === 0) await sql`create table ran (name text not null)`.execute(db)
    await db.schema.createTable(`table_${index}`).addColumn('id', 'integer').execute()
    await sql`insert into ran values (${name})`.execute(db)
  },
}))
