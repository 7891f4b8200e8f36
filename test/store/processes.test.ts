import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { sql } from 'kysely'
import { said, startChild } from './child-process.ts'
import { forEachEngine, openDatabase, sqlite } from './engines.ts'
import { sampleMigrations } from './sample-migrations.ts'

const names = sampleMigrations.map((migration) => ({ name: migration.name }))

forEachEngine((engine) => {
  test('five processes that start at once on an empty database all come up, each migration applied once', async () => {
    await using database = await engine.create()
    const children = await Promise.all(
      Array.from({ length: 5 }, () => startChild('child-starts.ts', database.url)),
    )
    const up = children.map((child) => said(child, 'up'))
    const ended = children.map((child) => once(child, 'exit'))
    for (const child of children) child.send('go')
    await Promise.all(up)
    assert.deepEqual(
      await Promise.all(ended),
      Array.from({ length: 5 }, () => [0, null]),
    )
    await using store = await openDatabase(database.url, sampleMigrations)
    assert.deepEqual((await sql`select name from ran`.execute(store.db)).rows, names)
  })

  test('a process killed in the middle of a migration leaves the ones before it, and the next start finishes', async () => {
    await using database = await engine.create()
    const child = await startChild('child-stalls.ts', database.url)
    const halfway = said(child, 'halfway')
    child.send('go')
    await halfway
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    assert.deepEqual(await ended, [null, 'SIGKILL'])
    await using before = await openDatabase(database.url, sampleMigrations.slice(0, 2))
    assert.deepEqual((await sql`select name from ran`.execute(before.db)).rows, names.slice(0, 2))
    await using store = await openDatabase(database.url, sampleMigrations)
    assert.deepEqual((await sql`select name from ran`.execute(store.db)).rows, names)
  })
})

test('processes that read and then write in a transaction lose no update and see no error on SQLite', async () => {
  await using database = await sqlite.create()
  await using store = await openDatabase(database.url)
  await sql`create table counter (n integer)`.execute(store.db)
  await sql`insert into counter values (0)`.execute(store.db)
  const children = await Promise.all(['one', 'two'].map(() => startChild('child-counts.ts', database.url)))
  const done = children.map((child) => said(child, 'done'))
  for (const child of children) child.send('go')
  await Promise.all(done)
  assert.deepEqual((await sql`select n from counter`.execute(store.db)).rows, [{ n: 600 }])
})
