import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Generated } from 'kysely'
import { forEachEngine } from '../../test/store/engines.ts'
import type { Page } from '../paging/page.ts'
import { definePager } from '../paging/pager.ts'
import type { TotalRule } from '../paging/pager-options.ts'
import { renderBody } from '../paging/render.ts'
import type { Sort } from '../paging/sort.ts'
import { createTokenCodec } from '../paging/token-codec.ts'
import type { Migration } from './migrate.ts'
import { readPage } from './read-page.ts'
import type { Store } from './store.ts'

interface Tables {
  readonly notes: { readonly id: Generated<string>; readonly created_at: number; readonly owner: string }
}

interface Note {
  readonly id: string
  readonly created_at: number
}

const migrations: readonly Migration[] = [
  {
    name: 'notes',
    up: async (db) => {
      await db.schema
        .createTable('notes')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addColumn('owner', 'text', (column) => column.notNull())
        .execute()
    },
  },
]

const tokens = createTokenCodec({ secrets: ['the secret of the stored pages, long'] })
const oldest: Sort<keyof Note> = [
  { column: 'created_at', type: 'integer', direction: 'ascending' },
  { column: 'id', type: 'text', direction: 'ascending', unique: true },
]

async function fill(store: Store<Tables>, count: number): Promise<void> {
  const values = Array.from({ length: count }, (_, index) => ({
    id: `note-${String(index).padStart(4, '0')}`,
    created_at: 1_763_164_800_000_000 + Math.floor(index / 3),
    owner: index % 2 === 0 ? 'ada' : 'bob',
  }))
  await store.db.insertInto('notes').values(values).execute()
}

async function offsetPage(store: Store<Tables>, total: TotalRule, offset: number): Promise<Page<Note>> {
  const pager = definePager<Note>({ id: 'notes', style: 'offset', sorts: { oldest }, total })
  const request = pager.parse({ offset: String(offset), limit: '10' })
  const query = store.db.selectFrom('notes').select(['id', 'created_at']).where('owner', '=', 'ada')
  return readPage(store, { pager, request, query })
}

forEachEngine((engine) => {
  test('a filtered list is walked to its end and holds only what the filter lets through', async () => {
    await using store = await engine.open<Tables>(migrations)
    await fill(store, 101)
    const pager = definePager<Note>({ id: 'notes', style: 'cursor', sorts: { oldest }, tokens })
    const ids: string[] = []
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const request = pager.parse({ limit: '7', cursor }, { filters: { owner: 'ada' } })
      const query = store.db.selectFrom('notes').select(['id', 'created_at']).where('owner', '=', 'ada')
      const page = await readPage(store, { pager, request, query })
      ids.push(...page.items.map(({ id }) => id))
      cursor = page.next
    }
    const all = await store.db
      .selectFrom('notes')
      .select('id')
      .where('owner', '=', 'ada')
      .orderBy('id')
      .execute()
    assert.deepEqual(
      ids,
      all.map(({ id }) => id),
    )
    assert.equal(ids.length, 51)
  })

  test('an exact total counts the filtered list', async () => {
    await using store = await engine.open<Tables>(migrations)
    await fill(store, 101)
    assert.deepEqual((await offsetPage(store, 'exact', 20)).total, { value: 51, kind: 'exact' })
    assert.deepEqual((await offsetPage(store, 'exact', 9000)).total, { value: 51, kind: 'exact' })
  })

  test('a bounded total says at least, and is exact where the list ends before the bound', async () => {
    await using store = await engine.open<Tables>(migrations)
    await fill(store, 101)
    const page = await offsetPage(store, { atMost: 30 }, 0)
    assert.deepEqual(page.total, { value: 30, kind: 'at_least' })
    assert.deepEqual(Object.keys(renderBody(page)), [
      'items',
      'total',
      'total_kind',
      'offset',
      'limit',
      'has_more',
    ])
    assert.deepEqual((await offsetPage(store, { atMost: 51 }, 0)).total, { value: 51, kind: 'exact' })
  })

  test('an estimate is labelled as one, or is exact where the engine makes none', async () => {
    await using store = await engine.open<Tables>(migrations)
    await fill(store, 101)
    const { total } = await offsetPage(store, 'estimate', 0)
    assert.equal(total?.kind, store.dialect === 'postgres' ? 'estimate' : 'exact')
    assert.equal(Number.isSafeInteger(total?.value), true)
  })

  test('a page that proves the total is not counted, and one without totals has none', async () => {
    await using store = await engine.open<Tables>(migrations)
    await fill(store, 101)
    assert.deepEqual((await offsetPage(store, { atMost: 1 }, 50)).total, { value: 51, kind: 'exact' })
    assert.equal((await offsetPage(store, 'none', 0)).total, null)
  })
})
