import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Page } from '../../src/paging/page.ts'
import { pageArray } from '../../src/paging/page-array.ts'
import { definePager, type Pager } from '../../src/paging/pager.ts'
import type { Sort, SortKey } from '../../src/paging/sort.ts'
import { createTokenCodec } from '../../src/paging/token-codec.ts'
import { engines, type RawEngine } from './raw-engines.ts'
import { idOf, idsOf, type ListUnderTest, linked, readList, walkPages } from './read-list.ts'

const tokens = {
  signed: createTokenCodec({ secrets: ['the signing secret of these properties'] }),
  sealed: createTokenCodec({ secrets: ['the sealing secret of these properties'], protection: 'sealed' }),
} as const

/** Few distinct values, so that ties, nulls and equal timestamps are the rule. */
interface Row {
  readonly id: number | string
  readonly created_at: number
  readonly label: string
  readonly rank: number | null
  readonly word: string | null
}

const columns = {
  created_at: { type: 'integer', nullable: false },
  label: { type: 'text', nullable: false },
  rank: { type: 'integer', nullable: true },
  word: { type: 'text', nullable: true },
} as const

interface Scenario {
  readonly idType: 'integer' | 'text'
  readonly protection: keyof typeof tokens
  readonly sort: Sort<keyof Row>
  readonly rows: readonly Row[]
  readonly limits: readonly number[]
}

const sides = fc.constantFrom('ascending', 'descending')

const extraKey: fc.Arbitrary<SortKey<keyof Row>> = fc
  .tuple(fc.constantFrom('created_at', 'label', 'rank', 'word'), sides, fc.constantFrom('first', 'last'))
  .map(([column, direction, nulls]) => {
    const { type, nullable } = columns[column]
    return nullable ? { column, type, direction, nulls } : { column, type, direction }
  })

const time = fc.integer({ min: 1_763_164_800_000_000, max: 1_763_164_800_000_004 })
const words = fc.constantFrom('', 'a', 'ab', 'B', '\u00e9', 'e\u0301', '\uffff', '\u{1f600}', "'; --")

const scenario: fc.Arbitrary<Scenario> = fc
  .record({
    idType: fc.constantFrom('integer', 'text'),
    protection: fc.constantFrom('signed', 'sealed'),
    keys: fc.uniqueArray(extraKey, { maxLength: 3, selector: (key) => key.column }),
    idDirection: sides,
    rows: fc.uniqueArray(
      fc.record({
        id: fc.integer({ min: 1, max: 500 }),
        created_at: time,
        label: words,
        rank: fc.option(fc.integer({ min: -1, max: 1 })),
        word: fc.option(words),
      }),
      { maxLength: 40, size: 'max', selector: (row) => row.id },
    ),
    limits: fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 4 }),
  })
  .map(({ idType, protection, keys, idDirection, rows, limits }) => ({
    idType,
    protection,
    sort: [...keys, { column: 'id', type: idType, direction: idDirection, unique: true } as const],
    rows: idType === 'text' ? rows.map((row) => ({ ...row, id: `id-${row.id}` })) : rows,
    limits,
  }))

function pagerOf({ sort, protection }: Scenario): Pager<object> {
  return definePager<Row>({ id: 'rows', style: 'cursor', tokens: tokens[protection], sorts: { sort } })
}

async function fill(engine: RawEngine, { idType, rows }: Scenario): Promise<ListUnderTest['source']> {
  const text = engine.dialect === 'postgres' ? 'text COLLATE "C"' : 'text'
  const id = { integer: 'integer', text }[idType]
  await engine.all('DROP TABLE IF EXISTS list')
  await engine.all(
    `CREATE TABLE list (id ${id} PRIMARY KEY, created_at bigint NOT NULL, label ${text} NOT NULL, rank integer, word ${text})`,
  )
  await insert(engine, rows)
  return { sql: 'SELECT id, created_at, label, rank, word FROM list', params: [] }
}

async function insert(engine: RawEngine, rows: readonly Row[]): Promise<void> {
  if (rows.length === 0) return
  const values = rows.flatMap(({ id, created_at, label, rank, word }) => [id, created_at, label, rank, word])
  const marks = values.map((_, index) => (engine.dialect === 'postgres' ? `$${index + 1}` : '?'))
  const tuples = rows.map((_, index) => `(${marks.slice(index * 5, index * 5 + 5).join(', ')})`)
  await engine.all(`INSERT INTO list VALUES ${tuples.join(', ')}`, values)
}

async function inDatabaseOrder(engine: RawEngine, sort: Sort): Promise<unknown[]> {
  const order = sort.map(
    (key) =>
      `${key.column} ${key.direction === 'ascending' ? 'ASC' : 'DESC'}${key.nulls === undefined ? '' : ` NULLS ${key.nulls}`}`,
  )
  return (await engine.all(`SELECT * FROM list ORDER BY ${order.join(', ')}`)).map(idOf)
}

async function backFrom(list: ListUnderTest, last: Page<object>, limit: number): Promise<unknown[]> {
  const pages: Page<object>[] = [last]
  for (let cursor = linked(last, 'prev'); cursor !== undefined; ) {
    const page = await readList(list, { limit: String(limit), cursor })
    pages.unshift(page)
    cursor = linked(page, 'prev')
  }
  return idsOf(pages)
}

for (const { name, open, runs } of engines) {
  test(`${name}: a walk equals the ordered list for any data, order, nulls and page sizes`, async () => {
    await using engine = await open()
    await fc.assert(
      fc.asyncProperty(scenario, async (drawn) => {
        const source = await fill(engine, drawn)
        const pages = await walkPages({ engine, pager: pagerOf(drawn), source }, drawn.limits)
        const expected = await inDatabaseOrder(engine, drawn.sort)
        assert.deepEqual(idsOf(pages), expected)
        const inMemory = pageArray(
          { order: drawn.sort, after: null, bound: null, skip: 0, take: 1000 },
          drawn.rows,
        )
        assert.deepEqual(inMemory.map(idOf), expected)
        for (const page of pages.slice(0, -1)) assert.equal(page.items.length, page.limit)
        if (drawn.limits.length === 1)
          assert.equal(pages.length, Math.max(1, Math.ceil(expected.length / (drawn.limits[0] ?? 1))))
      }),
      { numRuns: runs },
    )
  })

  test(`${name}: walking back from the last page gives the same list, and next after prev the same page`, async () => {
    await using engine = await open()
    await fc.assert(
      fc.asyncProperty(scenario, async (drawn) => {
        const list = { engine, pager: pagerOf(drawn), source: await fill(engine, drawn) }
        const limit = drawn.limits[0] ?? 1
        const pages = await walkPages(list, [limit])
        const expected = await inDatabaseOrder(engine, drawn.sort)
        const last = pages.at(-1)
        assert.ok(last !== undefined)
        assert.deepEqual(await backFrom(list, last, limit), expected)
        const [, second] = pages
        const back = second && linked(second, 'prev')
        if (second === undefined || back === undefined) return
        const first = await readList(list, { limit: String(limit), cursor: back })
        const forth = linked(first, 'next')
        assert.deepEqual(idsOf([first]), idsOf(pages.slice(0, 1)))
        assert.deepEqual(
          idsOf([await readList(list, { limit: String(limit), cursor: forth })]),
          idsOf([second]),
        )
      }),
      { numRuns: runs / 2 },
    )
  })

  test(`${name}: rows that exist throughout are seen exactly once while others come and go`, async () => {
    await using engine = await open()
    const change = fc.record({
      delete: fc.nat(40),
      insert: fc.integer({ min: 501, max: 900 }),
      created_at: time,
    })
    await fc.assert(
      fc.asyncProperty(
        scenario,
        fc.array(change, { minLength: 1, maxLength: 12 }),
        async (drawn, changes) => {
          const list = { engine, pager: pagerOf(drawn), source: await fill(engine, drawn) }
          const present = new Set(drawn.rows.map(({ id }) => id))
          const throughout = new Set(present)
          const seen: unknown[] = []
          let cursor: string | undefined
          for (let step = 0; ; step += 1) {
            const page = await readList(list, {
              limit: String(drawn.limits[step % drawn.limits.length]),
              cursor,
            })
            seen.push(...idsOf([page]))
            if (page.next === null) break
            cursor = page.next
            const { delete: at, insert: number, created_at } = changes[step % changes.length] ?? assert.fail()
            const gone = [...present][at]
            if (gone !== undefined) {
              await engine.all(`DELETE FROM list WHERE id = ${engine.dialect === 'postgres' ? '$1' : '?'}`, [
                gone,
              ])
              present.delete(gone)
              throughout.delete(gone)
            }
            const fresh = number * 100 + step
            const id = drawn.idType === 'text' ? `id-${fresh}` : fresh
            if (step < 20) {
              await insert(engine, [{ id, created_at, label: 'new', rank: null, word: null }])
              present.add(id)
            }
          }
          assert.equal(new Set(seen).size, seen.length, 'a row was repeated')
          for (const id of throughout) assert.ok(seen.includes(id), `row ${id} was lost`)
        },
      ),
      { numRuns: runs },
    )
  })
}
