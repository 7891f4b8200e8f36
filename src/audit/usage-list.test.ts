import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alice, bookOn, lineOf, start } from '../../test/records/audit-lines.ts'
import { type Engine, forEachEngine } from '../../test/store/engines.ts'
import type { Page } from '../paging/page.ts'
import { definePager } from '../paging/pager.ts'
import { createTokenCodec } from '../paging/token-codec.ts'
import { migrations } from '../store/migrations.ts'
import type { Store, StoreSchema } from '../store/store.ts'
import { createUsageList, type UsagePlace, usageSort } from './usage-list.ts'
import type { UsageQuestion, UsageRow } from './usage-question.ts'

const pager = definePager<UsagePlace>({
  id: 'usage',
  style: 'cursor',
  sorts: { newest: usageSort },
  tokens: createTokenCodec({ secrets: ['the secret of the listed usage, long'] }),
})

const hour = 3_600_000_000
const day = 24 * hour
const byAll = ['principal', 'target', 'surface'] as const

/** Four days with a gap; three people, one of them with a namesake; two targets. */
async function filled(engine: Engine): Promise<Store & AsyncDisposable> {
  const store = await engine.open<StoreSchema>(migrations)
  const { write } = bookOn(store)
  const lines: string[] = []
  for (const at of [0, 1, 2, 23, 24, 25, 80, 81])
    for (const principal of ['ann', 'ben', 'cy'])
      for (const target of ['echo', 'time'])
        for (const issuer of principal === 'cy' ? [alice.issuer, 'https://other.example'] : [alice.issuer])
          lines.push(
            lineOf({
              time: start + at * hour + 5,
              target,
              tokensIn: at,
              by: { ...alice, principal, issuer },
            }),
          )
  await write(lines)
  return store
}

interface Walk {
  readonly question: UsageQuestion
  readonly limit: number
}

/** To the end and back, which must show the same. */
async function walk(store: Store, { question, limit }: Walk): Promise<readonly UsageRow[]> {
  const { list } = createUsageList(store)
  const read = (cursor?: string): Promise<Page<UsageRow>> =>
    list({
      pager,
      question,
      request: pager.parse(cursor === undefined ? { limit: `${limit}` } : { limit: `${limit}`, cursor }),
    })
  const forward: UsageRow[] = []
  let page = await read()
  for (forward.push(...page.items); page.next !== null; forward.push(...page.items))
    page = await read(page.next)
  const back: UsageRow[] = []
  for (;;) {
    back.unshift(...page.items)
    const previous = page.links.prev?.find(([name]) => name === 'cursor')?.[1]
    if (previous === undefined) break
    page = await read(previous)
  }
  assert.deepEqual(back, forward)
  return forward
}

function briefly({ bucket, surface, principal, target, calls, tokens_in }: UsageRow): string {
  return [(bucket - start) / hour, surface, principal, target, calls, tokens_in].join(' ')
}

forEachEngine((engine) => {
  test('usage by hour and all that tells it apart is what was stored, newest first', async () => {
    await using store = await filled(engine)
    const stored = await store.db
      .selectFrom('usage_hours')
      .selectAll()
      .orderBy('hour', 'desc')
      .orderBy('surface')
      .orderBy('issuer')
      .orderBy('principal')
      .orderBy('target')
      .execute()
    const expected = stored.map(({ hour: bucket, ...rest }) => ({ bucket, ...rest }))
    assert.equal(expected.length, 64)
    for (const limit of [1, 7, 64, 100]) {
      const rows = await walk(store, { question: { bucket: 'hour', by: byAll, filters: {} }, limit })
      assert.deepEqual(rows, expected)
    }
  })

  test('usage by day is the sum of its hours, of whoever is not told apart', async () => {
    await using store = await filled(engine)
    for (const limit of [1, 2, 50]) {
      const days = await walk(store, { question: { bucket: 'day', by: [], filters: {} }, limit })
      assert.deepEqual(days.map(briefly), ['72    16 1288', '24    16 392', '0    32 208'])
      const people = await walk(store, { question: { bucket: 'day', by: ['principal'], filters: {} }, limit })
      assert.deepEqual(people.slice(0, 4).map(briefly), [
        '72  ann  4 322',
        '72  ben  4 322',
        '72  cy  4 322',
        '72  cy  4 322',
      ])
      assert.equal(people.length, 12)
    }
  })

  test('usage is filtered by who, what, where and when', async () => {
    await using store = await filled(engine)
    const ask = async (filters: UsageQuestion['filters']): Promise<readonly string[]> =>
      (await walk(store, { question: { bucket: 'day', by: ['target'], filters }, limit: 2 })).map(briefly)
    assert.deepEqual(await ask({ principal: 'cy', from: start + 3 * day }), [
      '72   echo 4 322',
      '72   time 4 322',
    ])
    assert.deepEqual(await ask({ principal: 'cy', issuer: alice.issuer, from: start + 3 * day }), [
      '72   echo 2 161',
      '72   time 2 161',
    ])
    assert.deepEqual(await ask({ target: 'echo', to: start + day - 1 }), ['0   echo 16 104'])
    assert.deepEqual(await ask({ target: 'echo', from: start + day + hour, to: start + day }), [
      '24   echo 8 196',
    ])
    assert.deepEqual(await ask({ surface: 'models' }), [])
    assert.deepEqual(await ask({ principal: 'a\u0000' }), [])
  })

  test('usage of thousands of hours is walked without a gap', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { write } = bookOn(store)
    await write(Array.from({ length: 2000 }, (_, place) => lineOf({ time: start + place * hour })))
    const rows = await walk(store, { question: { bucket: 'hour', by: [], filters: {} }, limit: 100 })
    assert.deepEqual(
      rows.map(({ bucket }) => (bucket - start) / hour),
      Array.from({ length: 2000 }, (_, place) => 1999 - place),
    )
  })
})
