import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Kysely, sql } from 'kysely'
import { forEachEngine, openDatabase } from '../../test/store/engines.ts'
import { Failure } from '../failure/failure.ts'
import type { Migration } from './migrate.ts'

interface Tables {
  readonly notes: {
    readonly id: number
    readonly at: number | null
    readonly title: string | null
    readonly body: Uint8Array | null
  }
}

const notes: readonly Migration[] = [
  {
    name: 'notes',
    up: async (db, dialect) => {
      await db.schema
        .createTable('notes')
        .addColumn('id', 'integer', (column) => column.primaryKey())
        .addColumn('at', 'bigint')
        .addColumn('title', 'text')
        .addColumn('body', dialect === 'sqlite' ? 'blob' : 'bytea')
        .execute()
    },
  },
]

function note(id: number, columns: Partial<Tables['notes']> = {}): Tables['notes'] {
  return { id, at: null, title: null, body: null, ...columns }
}

async function titles(db: Kysely<Tables>): Promise<(string | null)[]> {
  const rows = await db.selectFrom('notes').select('title').orderBy('id').execute()
  return rows.map((row) => row.title)
}

forEachEngine((engine) => {
  test('a row comes back as the ordinary object that went in', async () => {
    await using store = await engine.open<Tables>(notes)
    const row = note(1, { at: 1_789_000_000_123_456, title: 'one' })
    await store.db.insertInto('notes').values(row).execute()
    assert.deepEqual(await store.db.selectFrom('notes').selectAll().execute(), [row])
  })

  test('bytes come back as the same bytes', async () => {
    await using store = await engine.open<Tables>(notes)
    const bytes = Uint8Array.from({ length: 256 }, (_, value) => value)
    await store.db
      .insertInto('notes')
      .values(note(1, { body: bytes }))
      .execute()
    const row = await store.db.selectFrom('notes').select('body').executeTakeFirstOrThrow()
    assert.deepEqual(Uint8Array.from(row.body ?? []), bytes)
  })

  test('ten thousand random microseconds come back exactly and sort as numbers do', async () => {
    await using store = await engine.open<Tables>(notes)
    const times = Array.from({ length: 10_000 }, (_, id) =>
      note(id, { at: Math.floor(Math.random() * 2 ** 53) }),
    )
    for (let from = 0; from < times.length; from += 1000) {
      await store.db
        .insertInto('notes')
        .values(times.slice(from, from + 1000))
        .execute()
    }
    const rows = await store.db.selectFrom('notes').selectAll().orderBy('at').orderBy('id').execute()
    assert.deepEqual(
      rows,
      times.toSorted((a, b) => Number(a.at) - Number(b.at) || a.id - b.id),
    )
  })

  test('the largest exact integers pass, and the first inexact one is an error instead of a neighbour', async () => {
    await using store = await engine.open<Tables>(notes)
    const edges = [Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 0, -1]
    await store.db
      .insertInto('notes')
      .values(edges.map((at, id) => note(id, { at })))
      .execute()
    const rows = await store.db.selectFrom('notes').select('at').orderBy('id').execute()
    assert.deepEqual(
      rows.map((row) => row.at),
      edges,
    )
    await sql`insert into notes (id, at) values (9, 9007199254740993)`.execute(store.db)
    await assert.rejects(store.db.selectFrom('notes').selectAll().where('id', '=', 9).execute(), RangeError)
    assert.deepEqual(await titles(store.db), [null, null, null, null, null])
  })

  test('a count is a number', async () => {
    await using store = await engine.open<Tables>(notes)
    const { rows } = await sql`select count(*) as total from notes`.execute(store.db)
    assert.deepEqual(rows, [{ total: 0 }])
  })

  test('text of every script comes back unchanged', async () => {
    await using store = await engine.open<Tables>(notes)
    const texts = [
      '',
      'é',
      'e\u0301',
      '日本語',
      '👩‍👩‍👧',
      '\u{10ffff}',
      `'";--\\%_`,
      '\r\n\t',
      'x'.repeat(100_000),
    ]
    await store.db
      .insertInto('notes')
      .values(texts.map((title, id) => note(id, { title })))
      .execute()
    assert.deepEqual(await titles(store.db), texts)
  })

  test('a number in a text column is written without a decimal point', async () => {
    await using store = await engine.open<Tables>(notes)
    await sql`insert into notes (id, title) values (1, ${5})`.execute(store.db)
    assert.deepEqual(await titles(store.db), ['5'])
  })

  test('a transaction that throws leaves nothing behind', async () => {
    await using store = await engine.open<Tables>(notes)
    const failing = store.db.transaction().execute(async (transaction) => {
      await transaction.insertInto('notes').values(note(1)).execute()
      throw new Error('changed my mind')
    })
    await assert.rejects(failing, /changed my mind/)
    assert.deepEqual(await titles(store.db), [])
  })

  test('a read-only transaction sees one moment, whatever others write meanwhile', async () => {
    await using database = await engine.create()
    await using reader = await openDatabase<Tables>(database.url, notes)
    await using writer = await openDatabase<Tables>(database.url, notes)
    const reading = reader.db.transaction().setAccessMode('read only').setIsolationLevel('repeatable read')
    const seen = await reading.execute(async (transaction) => {
      const before = await titles(transaction)
      await writer.db
        .insertInto('notes')
        .values(note(1, { title: 'meanwhile' }))
        .execute()
      return [before, await titles(transaction)]
    })
    assert.deepEqual(seen, [[], []])
    assert.deepEqual(await titles(reader.db), ['meanwhile'])
  })

  test('a read-only transaction refuses to write, and the next transaction does not', async () => {
    await using store = await engine.open<Tables>(notes)
    const write = (db: Kysely<Tables>): Promise<unknown> => db.insertInto('notes').values(note(1)).execute()
    await assert.rejects(store.db.transaction().setAccessMode('read only').execute(write), /read-?only/)
    await store.db.transaction().execute(write)
    assert.deepEqual(await titles(store.db), [null])
  })

  test('fifty transactions at once all succeed, one after the other where they must', async () => {
    await using store = await engine.open<Tables>(notes)
    await store.db
      .insertInto('notes')
      .values(note(0, { at: 0 }))
      .execute()
    const increment = (): Promise<unknown> =>
      store.db.transaction().execute(async (transaction) => {
        await sql`update notes set at = at + 1 where id = 0`.execute(transaction)
      })
    await Promise.all(Array.from({ length: 50 }, increment))
    const row = await store.db.selectFrom('notes').select('at').executeTakeFirst()
    assert.deepEqual(row, { at: 50 })
  })

  test('a failed query leaves the store usable', async () => {
    await using store = await engine.open<Tables>(notes)
    await assert.rejects(sql`select nothing from nowhere`.execute(store.db))
    await store.ping()
  })

  test('closing twice is harmless, and a closed store refuses', async () => {
    await using store = await engine.open<Tables>(notes)
    await store.close()
    await store.close()
    await assert.rejects(store.ping(), (error) => error instanceof Failure && error.code === 'unavailable')
  })
})
