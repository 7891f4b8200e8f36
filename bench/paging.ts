import type { Page } from '../src/paging/page.ts'
import type { PageRequest } from '../src/paging/page-request.ts'
import { definePager, type Pager } from '../src/paging/pager.ts'
import { renderBody, renderHeaders } from '../src/paging/render.ts'
import type { Sort } from '../src/paging/sort.ts'
import { createTokenCodec } from '../src/paging/token-codec.ts'
import { readPage } from '../src/store/read-page.ts'
import type { Store } from '../src/store/store.ts'
import type { Finding } from './findings.ts'
import {
  type BenchStore,
  type BenchTables,
  loadPostgres,
  loadSqlite,
  rowCount,
  tiedCount,
} from './paging-data.ts'
import { benchTokens } from './paging-tokens.ts'
import { interleaved } from './timing.ts'

type Item = BenchTables[keyof BenchTables]

const pageSize = 100
const tokens = createTokenCodec({ secrets: ['the secret of the paging benchmark'] })

/** The whole way of a page: parse, plan, read through the store, finish, render body and headers. */
export async function benchPaging(say: (progress: string) => void): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  for (const load of [loadSqlite, loadPostgres]) {
    say(`loading two tables of ${rowCount.toLocaleString('en')} rows`)
    const bench = await load()
    try {
      findings.push(...(await benchEngine(bench, say)))
    } finally {
      await bench.close()
    }
  }
  return [...findings, ...benchTokens()]
}

async function benchEngine({ store }: BenchStore, say: (progress: string) => void): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const order of orders) {
    say(`${store.dialect}: ${order.name}`)
    findings.push(...(await benchOrder(store, order)))
  }
  return findings
}

interface Order {
  readonly name: string
  readonly table: keyof BenchTables
  readonly sort: Sort<keyof Item>
  /** The order that the promises are about; the others are shown beside it. */
  readonly isPromised: boolean
}

const time = { column: 'created_at', type: 'integer', direction: 'descending' } as const
const textId = { column: 'id', type: 'text', direction: 'descending', unique: true } as const
const orders: readonly Order[] = [
  { name: 'newest first', table: 'items', sort: [time, textId], isPromised: true },
  {
    name: 'mixed directions',
    table: 'items',
    sort: [time, { ...textId, direction: 'ascending' }],
    isPromised: true,
  },
  { name: 'integer ids', table: 'numbered', sort: [time, { ...textId, type: 'integer' }], isPromised: true },
  {
    name: 'nullable key',
    table: 'items',
    sort: [{ column: 'rank', type: 'integer', direction: 'descending', nulls: 'last' }, textId],
    isPromised: false,
  },
]

async function benchOrder(store: Store<BenchTables>, order: Order): Promise<Finding[]> {
  const list = listOf(store, order)
  const deep = await list.cursorAt(rowCount * 0.99)
  const { first, last } = await interleaved(
    { rounds: 1000, warmUp: 1000 },
    {
      first: () => list.page({}),
      last: () => list.page({ cursor: deep }),
    },
  )
  const { offset } = await interleaved(
    { rounds: 7, warmUp: 1 },
    { offset: () => list.byOffset(rowCount * 0.99) },
  )
  const group = `${store.dialect}, ${order.name}`
  const depth: Finding[] = [
    { group, what: 'first page of 100', value: first, unit: 'ms' },
    { group, what: 'page at 99 % depth', value: last, unit: 'ms' },
    { group, what: 'page at 99 % depth by OFFSET', value: offset, unit: 'ms' },
    { group, what: 'OFFSET ÷ first page', value: offset / first, unit: '×' },
    {
      group,
      what: '99 % depth ÷ first page',
      value: last / first,
      unit: '×',
      ...(order.isPromised ? { atMost: 1.25 } : {}),
    },
  ]
  return order.sort[0]?.column === 'created_at' ? [...depth, ...(await benchWalks(group, list))] : depth
}

/** Two walks of 100,000 rows, step by step in turn: one through ordinary rows, one through rows of one timestamp. */
async function benchWalks(group: string, list: BenchList): Promise<Finding[]> {
  let ordinary = await list.cursorAt(rowCount * 0.75)
  let tied = await list.cursorAt((rowCount - tiedCount) / 2 + 1)
  const step = async (cursor: string): Promise<string> => (await list.page({ cursor })).next ?? cursor
  const walks = await interleaved(
    { rounds: (tiedCount / pageSize) * 0.9, warmUp: (tiedCount / pageSize) * 0.09 },
    {
      ordinary: async () => {
        ordinary = await step(ordinary)
      },
      tied: async () => {
        tied = await step(tied)
      },
    },
  )
  return [
    { group, what: 'ordinary walk, per page', value: walks.ordinary, unit: 'ms' },
    { group, what: 'walk through one timestamp, per page', value: walks.tied, unit: 'ms' },
    {
      group,
      what: 'one timestamp ÷ ordinary walk',
      value: walks.tied / walks.ordinary,
      unit: '×',
      atMost: 2,
    },
  ]
}

interface BenchList {
  readonly page: (query: { readonly cursor?: string }) => Promise<Page<Item>>
  readonly byOffset: (offset: number) => Promise<unknown>
  readonly cursorAt: (offset: number) => Promise<string>
}

function listOf(store: Store<BenchTables>, { table, sort }: Order): BenchList {
  const pager = definePager<Item>({ id: 'bench', style: 'cursor', sorts: { sort }, tokens })
  const jumping = definePager<Item>({
    id: 'bench',
    style: 'offset',
    sorts: { sort },
    total: 'none',
    maximumOffset: rowCount,
  })
  const query = store.db.selectFrom(table).select(['id', 'created_at', 'rank', 'title'])
  const read = async (of: Pager<Item>, request: PageRequest): Promise<Page<Item>> => {
    const page = await readPage<BenchTables, Item, Item>(store, { pager: of, request, query })
    renderBody(page)
    renderHeaders(page, '/items')
    return page
  }
  const byOffset = (offset: number): Promise<Page<Item>> =>
    read(jumping, jumping.parse({ limit: String(pageSize), offset: String(offset) }))
  return {
    page: ({ cursor }) => read(pager, pager.parse({ limit: String(pageSize), cursor })),
    byOffset,
    cursorAt: async (offset) => {
      const { items } = await byOffset(offset)
      const request = pager.parse({ limit: '1' })
      return pager.finish(request, items.slice(0, 2)).next ?? ''
    },
  }
}
