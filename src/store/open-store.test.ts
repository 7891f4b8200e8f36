import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { forEachEngine } from '../../test/store/engines.ts'
import { Failure } from '../failure/failure.ts'
import { createLog } from '../log/log.ts'
import { migrations } from './migrations.ts'
import { openStore } from './open-store.ts'

const log = createLog({ level: 'silent' })

test('every migration has a name of its own', () => {
  assert.equal(new Set(migrations.map((migration) => migration.name)).size, migrations.length)
})

forEachEngine((engine) => {
  test('a fresh store opens with every migration applied, and opens again', async () => {
    await using database = await engine.create()
    for (const _ of ['fresh', 'again']) {
      const store = await openStore(database.url, { log })
      assert.equal(store.dialect, engine.dialect)
      const applied = await store.db
        .selectFrom('postern_migrations')
        .select('name')
        .orderBy('position')
        .execute()
      assert.deepEqual(
        applied.map((row) => row.name),
        migrations.map((migration) => migration.name),
      )
      await store.close()
    }
  })

  test('a store of a newer version is refused in words a stranger understands', async () => {
    await using database = await engine.create()
    const store = await openStore(database.url, { log })
    await sql`insert into postern_migrations values (9999, 'from-the-future', 0)`.execute(store.db)
    await store.close()
    await assert.rejects(openStore(database.url, { log }), (error) => {
      assert(error instanceof Failure)
      assert.match(error.message, /newer Postern \(it has "from-the-future"\)/)
      return true
    })
  })
})
