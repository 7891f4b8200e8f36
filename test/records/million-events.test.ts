import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CompiledQuery, sql } from 'kysely'
import type { EventFilters } from '../../src/audit/event-filters.ts'
import { createEventList, type EventPlace, eventSorts } from '../../src/audit/event-list.ts'
import { type EventsWanted, eventStatement } from '../../src/audit/event-statement.ts'
import { definePager } from '../../src/paging/pager.ts'
import { createTokenCodec } from '../../src/paging/token-codec.ts'
import { migrations } from '../../src/store/migrations.ts'
import type { Store, StoreSchema } from '../../src/store/store.ts'
import { forEachEngine } from '../store/engines.ts'
import { start } from './audit-lines.ts'
import { fillEvents } from './many-events.ts'

const count = 1_000_000
const issuers = ['https://issuer.example', 'https://other.example'] as const
const [issuer] = issuers

/** Of each there are hundreds of thousands, so that a page can be deep. */
const lists: readonly EventFilters[] = [
  {},
  { principal: 'busy', issuer },
  { principal: 'busy' },
  { action: 'busy' },
  { decision: 'allow' },
  { surface: 'tools' },
  { from: start + 10_000_000, to: start + 990_000_000 },
]

const pager = definePager<EventPlace>({
  id: 'events',
  style: 'cursor',
  sorts: eventSorts,
  tokens: createTokenCodec({ secrets: ['the secret of a million events, long'] }),
})

forEachEngine((engine) => {
  test('of a million events a page at any depth costs at most a quarter more than the first', async (t) => {
    await using store = await engine.open<StoreSchema>(migrations)
    await fillEvents(store, count)
    await sql`analyze`.execute(store.db)
    for (const filters of lists)
      await t.test(JSON.stringify(filters), async () => {
        await comparisons[engine.dialect](store, filters)
      })
  })
})

const comparisons = { sqlite: compareTimes, postgres: compareBuffers } as const

const depths = [0.25, 0.5, 0.75, 0.985]

/** Where a page begins that has this part of all events before it, newest first. */
function placeAt(depth: number): number {
  return Math.floor(count * (1 - depth))
}

/** What Postgres has to look at says more than how long it takes. */
async function compareBuffers(store: Store, filters: EventFilters): Promise<void> {
  const first = await buffersOfPage(store, filters, null)
  for (const depth of depths) {
    const deep = await buffersOfPage(store, filters, placeAt(depth))
    // On how many blocks the same number of rows lies is chance: two more of a dozen.
    assert.ok(
      deep <= Math.max(first * 1.25, first + 2),
      `${first} blocks for the first page, ${deep} at ${depth}`,
    )
  }
}

/** A principal without an issuer is read for each that there is. */
async function buffersOfPage(store: Store, filters: EventFilters, after: number | null): Promise<number> {
  const isOfAny = filters.principal !== undefined && filters.issuer === undefined
  const lists = isOfAny ? issuers.map((issuer) => ({ ...filters, issuer })) : [filters]
  let sum = 0
  for (const list of lists)
    sum += await buffers(store, { filters: list, direction: 'descending', after, limit: 21 })
  return sum
}

async function buffers({ db }: Store, wanted: EventsWanted): Promise<number> {
  const { sql: text, params } = eventStatement('postgres', wanted)
  const query: CompiledQuery<object> = CompiledQuery.raw(`explain (analyze, buffers, format json) ${text}`, [
    ...params,
  ])
  // Once to bring it into memory and to leave the marks that a first reader leaves.
  await db.executeQuery(query)
  const plan = JSON.stringify((await db.executeQuery(query)).rows)
  const [, hit = '', read = ''] = /"Shared Hit Blocks":(\d+),"Shared Read Blocks":(\d+)/.exec(plan) ?? []
  assert.match(hit, /\d/, plan)
  return Number(hit) + Number(read)
}

/** The fastest of many is what a page costs when nobody interrupts; taken in turns, and again as long as a busy machine may have spoilt it. */
async function compareTimes(store: Store, filters: EventFilters): Promise<void> {
  const pages = [null, ...depths.map(placeAt)].map((after) => () => readPage(store, filters, after))
  const fastest = pages.map(() => Number.POSITIVE_INFINITY)
  let ratios: readonly number[] = []
  for (let round = 0; round < 20; round += 1) {
    for (let turn = 0; turn < 30; turn += 1)
      for (const [place, page] of pages.entries()) {
        const begin = performance.now()
        await page()
        fastest[place] = Math.min(fastest[place] ?? 0, performance.now() - begin)
      }
    const [first = 0, ...deep] = fastest
    ratios = deep.map((time) => time / first)
    if (ratios.every((ratio) => ratio <= 1.25)) return
  }
  assert.fail(
    `pages at ${depths.join()} took ${ratios.map((ratio) => ratio.toFixed(2)).join()} times the first`,
  )
}

async function readPage(store: Store, filters: EventFilters, after: number | null): Promise<void> {
  const request = { ...pager.parse({}), position: after === null ? null : [after] }
  const page = await createEventList(store).list({ pager, request, filters })
  assert.equal(page.items.length, 20)
}
