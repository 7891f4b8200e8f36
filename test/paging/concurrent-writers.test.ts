import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { definePager } from '../../src/paging/pager.ts'
import { settledRows } from '../../src/paging/settled-rows.ts'
import { createTokenCodec } from '../../src/paging/token-codec.ts'
import { connect, engines, type RawEngine } from './raw-engines.ts'
import { idsOf, type ListUnderTest, readList, walkPages } from './read-list.ts'

const tokens = createTokenCodec({ secrets: ['the secret of the concurrent writers'] })

const feed = definePager<{ created_at: number; id: number }>({
  id: 'feed',
  style: 'cursor',
  tokens,
  sorts: {
    oldest: [
      { column: 'created_at', type: 'integer', direction: 'ascending' },
      { column: 'id', type: 'integer', direction: 'ascending', unique: true },
    ],
  },
})

const feedAsOf = definePager<{ created_at: number; id: number }>({
  id: 'feed',
  style: 'cursor',
  tokens,
  asOf: 'created_at',
  sorts: {
    oldest: [
      { column: 'created_at', type: 'integer', direction: 'ascending' },
      { column: 'id', type: 'integer', direction: 'ascending', unique: true },
    ],
  },
})

const source = { sql: 'SELECT id, created_at FROM feed', params: [] }

async function fill(engine: RawEngine, count: number): Promise<void> {
  await engine.all('CREATE TABLE feed (id integer PRIMARY KEY, created_at integer NOT NULL)')
  for (let id = 1; id <= count; id += 1) await engine.all(`INSERT INTO feed VALUES (${id}, ${100 + id})`)
}

async function privateSchema(): Promise<{ schema: string; drop: () => Promise<void> }> {
  const schema = `writers_${randomBytes(6).toString('hex')}`
  const owner = await connect(schema)
  await owner.query(`CREATE SCHEMA ${schema}`)
  return {
    schema,
    drop: async () => {
      await owner.query(`DROP SCHEMA ${schema} CASCADE`)
      await owner.end()
    },
  }
}

function rawEngine(client: pg.Client): RawEngine {
  return {
    dialect: 'postgres',
    all: async (sql, params = []) => (await client.query({ text: sql, values: [...params] })).rows,
    [Symbol.asyncDispose]: () => client.end(),
  }
}

test('Postgres: with writers at full speed, no stable row is lost or repeated', async () => {
  const { schema, drop } = await privateSchema()
  try {
    await using reader = rawEngine(await connect(schema))
    await fill(reader, 2000)
    const stop = new AbortController()
    const changes = new Map<number, number>()
    const isWritten = (): boolean => [1, 2, 3].every((writer) => (changes.get(writer) ?? 0) > 20)
    const onChange = (writer: number, count: number): unknown => changes.set(writer, count)
    const writers = [1, 2, 3].map((writer) => churn({ schema, writer, onChange }, stop.signal))
    try {
      for (let round = 0; round < 3 || !isWritten(); round += 1) {
        const seen = idsOf(await walkPages({ engine: reader, pager: feed, source }, [7, 31]))
        assert.equal(new Set(seen).size, seen.length)
        const stable = seen.filter((id) => Number(id) <= 2000 && Number(id) % 4 !== 0)
        assert.equal(stable.length, 1500)
      }
    } finally {
      stop.abort()
      await Promise.all(writers)
    }
  } finally {
    await drop()
  }
})

interface Churn {
  readonly schema: string
  readonly writer: number
  readonly onChange: (writer: number, count: number) => void
}

/** Deletes and re-inserts every fourth row, and adds rows all over the range; tells how many changes it has made. */
async function churn({ schema, writer, onChange }: Churn, signal: AbortSignal): Promise<void> {
  const client = await connect(schema)
  let changes = 0
  for (; !signal.aborted; changes += 1) {
    const id = 4 * (1 + ((changes * 7 + writer) % 500))
    await client.query('DELETE FROM feed WHERE id = $1', [id])
    await client.query('INSERT INTO feed VALUES ($1, $2) ON CONFLICT DO NOTHING', [id, 100 + id])
    await client.query('INSERT INTO feed VALUES ($1, $2) ON CONFLICT DO NOTHING', [
      10_000 * writer + (changes % 1000),
      100 + ((changes * 13) % 2000),
    ])
    onChange(writer, changes + 1)
  }
  await client.end()
}

const byTransaction = definePager<{ xid: string; id: number }>({
  id: 'by-transaction',
  style: 'cursor',
  tokens,
  sorts: {
    oldest: [
      { column: 'xid', type: 'integer', direction: 'ascending', cast: 'xid8' },
      { column: 'id', type: 'integer', direction: 'ascending', unique: true },
    ],
  },
})

/** When the slow transaction gets its number: with its first row, or only after the fast one is done. */
for (const numbered of ['before', 'after'] as const)
  test(`Postgres: a row stamped early and committed late is lost by time, and not by settledRows (numbered ${numbered})`, async () => {
    const { schema, drop } = await privateSchema()
    try {
      await using reader = rawEngine(await connect(schema))
      await using early = rawEngine(await connect(schema))
      await using late = rawEngine(await connect(schema))
      await reader.all(
        'CREATE TABLE feed (id integer PRIMARY KEY, created_at integer NOT NULL, xid xid8 NOT NULL DEFAULT pg_current_xact_id())',
      )
      await late.all('INSERT INTO feed VALUES (1, 1)')
      await early.all('BEGIN')
      if (numbered === 'before') await early.all('INSERT INTO feed VALUES (2, 2)')
      await late.all('INSERT INTO feed VALUES (3, 3), (4, 4)')
      const guarded = { ...source, sql: `SELECT id, xid FROM feed WHERE ${settledRows('xid')}` }
      const live = await resumable({ engine: reader, pager: feed, source })
      const settled = await resumable({ engine: reader, pager: byTransaction, source: guarded })
      if (numbered === 'after') await early.all('INSERT INTO feed VALUES (2, 2)')
      await early.all('COMMIT')
      assert.deepEqual([...live.seen, ...(await live.resume())], [1, 3, 4])
      const all = new Set(settled.seen)
      // Whoever else writes on this server, other test files too, holds back what is settled.
      for (const end = performance.now() + 40_000; all.size < 4 && performance.now() < end; await pause(20))
        for (const id of await settled.resume()) all.add(id)
      assert.deepEqual(all, new Set([1, 2, 3, 4]))
    } finally {
      await drop()
    }
  })

/** Reads to the end and keeps its last cursor; goes on from there later, as a synchronising client does. */
async function resumable(
  list: ListUnderTest,
): Promise<{ seen: unknown[]; resume: () => Promise<unknown[]> }> {
  const pages = await walkPages(list, [1])
  const seen = idsOf(pages)
  return {
    seen,
    resume: async () => {
      const again: unknown[] = []
      for (let cursor = pages.at(-2)?.next; cursor !== null; ) {
        const page = await readList(list, { limit: '1', cursor })
        again.push(...idsOf([page]))
        cursor = page.next
      }
      return again.filter((id) => !seen.includes(id))
    },
  }
}

for (const { name, open } of engines)
  test(`${name}: as of the first page, nothing newer is shown, and older rows still are`, async () => {
    await using engine = await open()
    await fill(engine, 10)
    const list = { engine, pager: feedAsOf, source, context: { asOf: 110 } }
    const first = await readList(list, { limit: '4' })
    await engine.all('INSERT INTO feed VALUES (50, 500), (51, 109)')
    const later = { ...list, context: { asOf: 1000 } }
    const second = await readList(later, { limit: '4', cursor: first.next ?? undefined })
    const third = await readList(later, { limit: '4', cursor: second.next ?? undefined })
    assert.deepEqual(idsOf([first, second, third]), [1, 2, 3, 4, 5, 6, 7, 8, 9, 51, 10])
    const live = await walkPages({ engine, pager: feed, source }, [4])
    assert.ok(idsOf(live).includes(50))
  })
