import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { sql } from 'kysely'
import { forEachEngine, openDatabase, postgres } from '../../test/store/engines.ts'
import { Failure } from '../failure/failure.ts'
import { createLog } from '../log/log.ts'
import { type Migration, migrate } from './migrate.ts'
import type { Store, StoreSchema } from './store.ts'

const options = { log: createLog({ level: 'silent' }), now: () => 1_795_000_000_000_001 }

/** Each leaves a table and, in the first one's table, a row that would be there twice if it ran twice. */
const first: Migration = {
  name: '0001-first',
  up: async (db) => {
    await sql`create table ran (name text not null)`.execute(db)
    await sql`insert into ran values ('first')`.execute(db)
  },
}
const second = laterMigration('second')
const third = laterMigration('third')

forEachEngine((engine) => {
  test('migrations run in the order of the list, each once, and leave their names', async () => {
    await using store = await engine.open<StoreSchema>()
    await migrate(store, [first, second, third], options)
    await migrate(store, [first, second, third], options)
    assert.deepEqual(await ran(store), ['first', 'second', 'third'])
    assert.deepEqual(
      await store.db.selectFrom('postern_migrations').selectAll().orderBy('position').execute(),
      [
        { position: 1, name: '0001-first', applied_at: 1_795_000_000_000_001 },
        { position: 2, name: 'second', applied_at: 1_795_000_000_000_001 },
        { position: 3, name: 'third', applied_at: 1_795_000_000_000_001 },
      ],
    )
  })

  test('a longer list adds only what is new', async () => {
    await using store = await engine.open<StoreSchema>([first])
    await migrate(store, [first, second], options)
    assert.deepEqual(await ran(store), ['first', 'second'])
  })

  test('ten stores that migrate at once apply each migration once', async () => {
    await using database = await engine.create()
    const stores = await Promise.all(
      Array.from({ length: 10 }, () => openDatabase(database.url, [first, second, third])),
    )
    assert.deepEqual(await ran(stores[0]), ['first', 'second', 'third'])
    await Promise.all(stores.map((store) => store.close()))
  })

  test('a migration that fails names itself, leaves nothing behind and can be mended', async () => {
    await using store = await engine.open<StoreSchema>([first])
    const cause = new Error('half way')
    const failing: Migration = {
      name: 'second',
      up: async (db, dialect) => {
        await second.up(db, dialect)
        throw cause
      },
    }
    await assert.rejects(migrate(store, [first, failing, third], options), (error) => {
      assert(error instanceof Failure)
      assert.match(error.message, /"second" failed \(half way\)/)
      assert.equal(error.cause, cause)
      return true
    })
    assert.deepEqual(await ran(store), ['first'])
    await migrate(store, [first, second], options)
    assert.deepEqual(await ran(store), ['first', 'second'])
  })

  test('a store that a newer Postern has migrated is refused and left alone', async () => {
    await using store = await engine.open<StoreSchema>([first, second])
    await assert.rejects(migrate(store, [first], options), misconfigured(/newer Postern \(it has "second"\)/))
    assert.deepEqual(await ran(store), ['first', 'second'])
  })

  test('a store with another migration in the place of ours is refused', async () => {
    await using store = await engine.open<StoreSchema>([first, second])
    await assert.rejects(
      migrate(store, [first, third, second], options),
      misconfigured(/has the migration "second" where this Postern has "third"/),
    )
    assert.deepEqual(await ran(store), ['first', 'second'])
  })
})

test('on Postgres an instance that must wait says so, and goes on when the lock is free', async () => {
  await using database = await postgres.create()
  await using other = await openDatabase(database.url)
  await using store = await openDatabase<StoreSchema>(database.url)
  const said = Promise.withResolvers<string>()
  const log = createLog({ destination: { write: said.resolve } })
  const migrating = await other.db.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(hashtextextended('postern_migrations', 0))`.execute(transaction)
    const started = { done: migrate(store, [first], { ...options, log }) }
    assert.match(await said.promise, /waiting for another instance/)
    assert.deepEqual(await store.db.selectFrom('postern_migrations').selectAll().execute(), [])
    return started
  })
  await migrating.done
  assert.deepEqual(await ran(store), ['first'])
})

test('on Postgres a migration may take longer than a query of a request', async () => {
  await using database = await postgres.create()
  await using store = await openDatabase<StoreSchema>(`${database.url}?statement_timeout=1000`)
  const slow: Migration = {
    name: 'slow',
    up: async (db) => void (await sql`select pg_sleep(1.2)`.execute(db)),
  }
  await migrate(store, [slow], options)
  await assert.rejects(sql`select pg_sleep(1.2)`.execute(store.db), /took too long to answer/)
})

test('on Postgres a role that may not create tables opens a store that is up to date, and no other', async () => {
  await using database = await postgres.create()
  await using owner = await openDatabase<StoreSchema>(database.url, [first])
  const role = `postern_test_${randomBytes(6).toString('hex')}`
  await sql`create role ${sql.id(role)}`.execute(owner.db)
  try {
    await sql`grant select on postern_migrations to ${sql.id(role)}`.execute(owner.db)
    await using store = await openDatabase<StoreSchema>(`${database.url}?options=-c%20role%3D${role}`, [
      first,
    ])
    await assert.rejects(
      migrate(store, [first, second], options),
      misconfigured(/permission denied.+let this user create tables/),
    )
  } finally {
    await sql`drop owned by ${sql.id(role)}`.execute(owner.db)
    await sql`drop role ${sql.id(role)}`.execute(owner.db)
  }
})

function laterMigration(name: string): Migration {
  return {
    name,
    up: async (db) => {
      await db.schema.createTable(name).addColumn('id', 'integer').execute()
      await sql`insert into ran values (${name})`.execute(db)
    },
  }
}

async function ran<Schema>(store: Store<Schema> | undefined): Promise<string[]> {
  assert(store !== undefined)
  const { rows } = await sql<{ name: string }>`select name from ran`.execute(store.db)
  return rows.map((row) => row.name)
}

function misconfigured(message: RegExp): (error: unknown) => boolean {
  return (error) => {
    assert(error instanceof Failure)
    assert.equal(error.code, 'misconfigured')
    assert.match(error.message, message)
    return true
  }
}
