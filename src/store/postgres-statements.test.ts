import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { postgres } from '../../test/store/engines.ts'
import { statementNames } from './postgres-statements.ts'

test('a statement that comes again is prepared once under one name', async () => {
  await using store = await postgres.open<{ t: { id: number } }>()
  await sql`create table t (id integer primary key)`.execute(store.db)
  await store.db.connection().execute(async (db) => {
    for (const id of [1, 2, 3]) await db.selectFrom('t').select('id').where('id', '=', id).execute()
    const { rows } = await sql<{ name: string; uses: number }>`
      select name, generic_plans + custom_plans as uses from pg_prepared_statements where statement like '%from "t"%'
        and name <> ''  and statement not like '%pg_prepared%'`.execute(db)
    assert.deepEqual(
      rows.map(({ uses }) => uses),
      [3],
    )
  })
})

test('a prepared `select *` goes on working when a column is added', async () => {
  await using store = await postgres.open<{ t: { id: number } }>()
  await sql`create table t (id integer primary key)`.execute(store.db)
  await sql`insert into t values (1)`.execute(store.db)
  await store.db.connection().execute(async (db) => {
    assert.deepEqual(await db.selectFrom('t').selectAll().execute(), [{ id: 1 }])
    await sql`alter table t add column label text`.execute(db)
    assert.deepEqual(await db.selectFrom('t').selectAll().execute(), [{ id: 1, label: null }])
  })
})

test('only statements on data get a name, and only a bounded number of them', () => {
  const nameOf = statementNames()
  assert.equal(nameOf('begin'), undefined)
  assert.equal(nameOf('create table t (id int)'), undefined)
  const names = Array.from({ length: 300 }, (_, index) => nameOf(`select ${index}`))
  assert.equal(new Set(names.slice(0, 200)).size, 200)
  assert.deepEqual(new Set(names.slice(200)), new Set([undefined]))
  assert.equal(nameOf('select 7'), names[7])
})
