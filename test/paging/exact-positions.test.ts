import assert from 'node:assert/strict'
import { test } from 'node:test'
import { definePager, type Pager } from '../../src/paging/pager.ts'
import type { KeyType } from '../../src/paging/sort.ts'
import { createTokenCodec } from '../../src/paging/token-codec.ts'
import { engines, type RawEngine } from './raw-engines.ts'
import { idOf, idsOf, walkPages } from './read-list.ts'

const tokens = createTokenCodec({ secrets: ['the secret of the exact positions!!'] })

/** On Postgres a real timestamptz, whose text the driver hands on; on SQLite the same text. */
const timeTypes = {
  sqlite: { text: 'text', micros: 'integer' },
  postgres: { text: 'timestamptz', micros: 'bigint' },
} as const

function pagerOf(type: KeyType, direction: 'ascending' | 'descending'): Pager<object> {
  return definePager<{ created_at: unknown; id: number }>({
    id: 'exact',
    style: 'cursor',
    tokens,
    sorts: {
      time: [
        { column: 'created_at', type, direction },
        { column: 'id', type: 'integer', direction, unique: true },
      ],
    },
  })
}

async function fill(engine: RawEngine, form: 'text' | 'micros', micros: readonly number[]): Promise<void> {
  await engine.all(
    `CREATE TABLE list (id integer PRIMARY KEY, created_at ${timeTypes[engine.dialect][form]} NOT NULL)`,
  )
  const values = micros.map(
    (time, index) => `(${index + 1}, ${form === 'text' ? `'${textOf(time)}'` : time})`,
  )
  for (let start = 0; start < values.length; start += 500)
    await engine.all(`INSERT INTO list VALUES ${values.slice(start, start + 500).join(', ')}`)
  await engine.all('CREATE INDEX list_order ON list (created_at, id)')
  await engine.all('ANALYZE list')
}

function textOf(micros: number): string {
  const second = new Date(Math.floor(micros / 1_000_000) * 1000).toISOString().slice(0, 19).replace('T', ' ')
  return `${second}.${String(micros % 1_000_000).padStart(6, '0')}+00`
}

const start = 1_763_164_800_000_000
const patterns = {
  '1,000 rows share one microsecond': () => Array.from({ length: 1000 }, () => start + 123_457),
  '20,000 random microseconds, about ten to the millisecond': () => {
    const random = lehmer(7)
    return Array.from({ length: 20_000 }, () => start + Math.floor(random() * 2_000_000))
  },
} as const

function lehmer(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

/** A server takes its time for a thousand pages of one row. */
const smallLimits = { sqlite: [1, 10, 100], postgres: [3, 100] } as const

for (const { name, open } of engines)
  for (const [pattern, micros] of Object.entries(patterns))
    for (const form of ['text', 'micros'] as const)
      test(`${name}: ${pattern}, kept as ${form}: nothing lost, nothing repeated, in both directions`, async () => {
        await using engine = await open()
        await fill(engine, form, micros())
        const type = form === 'micros' ? 'integer' : engine.dialect === 'postgres' ? 'timestamptz' : 'text'
        for (const direction of ['ascending', 'descending'] as const)
          for (const limit of micros().length > 1000 ? [97] : smallLimits[engine.dialect]) {
            const source = { sql: 'SELECT id, created_at FROM list', params: [] }
            const pages = await walkPages({ engine, pager: pagerOf(type, direction), source }, [limit])
            const word = direction === 'ascending' ? 'ASC' : 'DESC'
            const all = await engine.all(`SELECT id FROM list ORDER BY created_at ${word}, id ${word}`)
            assert.deepEqual(idsOf(pages), all.map(idOf))
          }
      })

const nullCases = [
  { values: [1, 2, null, null], nulls: 'last', direction: 'ascending', expected: [1, 2, 3, 4] },
  { values: [1, 2, null, null], nulls: 'first', direction: 'ascending', expected: [3, 4, 1, 2] },
  { values: [1, 2, null, null], nulls: 'last', direction: 'descending', expected: [2, 1, 3, 4] },
  { values: [1, 2, null, null], nulls: 'first', direction: 'descending', expected: [3, 4, 2, 1] },
  { values: [null, null, null, null], nulls: 'last', direction: 'ascending', expected: [1, 2, 3, 4] },
] as const

for (const { name, open } of engines)
  for (const { values, nulls, direction, expected } of nullCases)
    test(`${name}: pages may end anywhere around nulls (${values.join()}, ${direction}, nulls ${nulls})`, async () => {
      await using engine = await open()
      await engine.all('CREATE TABLE list (id integer PRIMARY KEY, rank integer)')
      const rows = values.map((value, index) => `(${index + 1}, ${value ?? 'NULL'})`)
      await engine.all(`INSERT INTO list VALUES ${rows.join(', ')}`)
      const pager = definePager<{ rank: number | null; id: number }>({
        id: 'nulls',
        style: 'cursor',
        tokens,
        sorts: {
          rank: [
            { column: 'rank', type: 'integer', direction, nulls },
            { column: 'id', type: 'integer', direction: 'ascending', unique: true },
          ],
        },
      })
      for (const limit of [1, 2, 3, 4]) {
        const source = { sql: 'SELECT id, rank FROM list', params: [] }
        assert.deepEqual(idsOf(await walkPages({ engine, pager, source }, [limit])), expected)
      }
    })

const postgresTypes = [
  { column: 'char(5)', type: 'text', values: ['a', 'a  b', 'b', 'ab', ''] },
  { column: 'real', type: 'float', values: ['0.1', '0.2', '-1e30', '3', '0.30000001'] },
  { column: "mood CHECK (key <> 'none')", type: 'text', values: ['sad', 'fine', 'glad'] },
  { column: 'time', type: 'text', values: ['10:00', '10:00:00.000001', '09:59:59.999999'] },
  { column: 'inet', type: 'text', values: ['10.0.0.1', '9.9.9.9', '::1'] },
] as const

for (const { column, type, values } of postgresTypes)
  test(`Postgres: a ${column} key is compared by its own rules`, async () => {
    const engine = await engines.find(({ name }) => name === 'Postgres')?.open()
    assert.ok(engine !== undefined)
    await using disposed = engine
    await engine.all("CREATE TYPE mood AS ENUM ('sad', 'fine', 'glad', 'none')")
    await engine.all(`CREATE TABLE list (id integer PRIMARY KEY, key ${column})`)
    for (let id = 1; id <= 50; id += 1)
      await disposed.all(`INSERT INTO list VALUES (${id}, '${values[id % values.length]}')`)
    for (const direction of ['ascending', 'descending'] as const) {
      const pager = definePager<{ key: unknown; id: number }>({
        id: 'types',
        style: 'cursor',
        tokens,
        sorts: {
          key: [
            { column: 'key', type, direction },
            { column: 'id', type: 'integer', direction, unique: true },
          ],
        },
      })
      const word = direction === 'ascending' ? 'ASC' : 'DESC'
      const source = { sql: 'SELECT id, key FROM list', params: [] }
      const expected = await engine.all(`SELECT id FROM list ORDER BY key ${word}, id ${word}`)
      assert.deepEqual(idsOf(await walkPages({ engine, pager, source }, [3])), expected.map(idOf))
    }
  })
