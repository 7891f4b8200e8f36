import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine } from '../store/engines.ts'
import { type AdminServer, by, startAdminServer } from './admin-server.ts'
import { aMoment, idsOf, keepWriting, offsetPage, type Writing } from './walk-pages.ts'

/** So many sessions, some of which began in the same microsecond. */
async function fill(admin: AdminServer, count: number): Promise<void> {
  await admin.record(
    Array.from({ length: count }, (_, index) => ({ by: by(`user-${index}`, admin.issuer, `c-${index}`) })),
  )
  const rows = await admin.store.db.selectFrom('sessions').select('id').orderBy('id').execute()
  for (const [index, { id }] of rows.entries())
    await admin.store.db
      .updateTable('sessions')
      .set({ created_at: 1_790_000_000_000_000 + Math.floor(index / 4) })
      .where('id', '=', id)
      .execute()
}

forEachEngine((engine) => {
  test('offset is what is passed over and limit what is returned, wherever one jumps', async () => {
    await using admin = await startAdminServer({ engine })
    await fill(admin, 23)
    const list = { admin, path: '/sessions' }
    const all = (await offsetPage(list, '?limit=100')).items
    assert.equal(all.length, 23)
    const order = all.map(({ created_at, id }) => `${String(created_at)} ${String(id)}`)
    assert.deepEqual(order, order.toSorted().toReversed())
    for (const limit of [1, 4, 5, 23, 50])
      for (const offset of [0, 1, 4, 19, 22, 23, 40]) {
        const page = await offsetPage(list, `?limit=${limit}&offset=${offset}`)
        assert.deepEqual(page.items, all.slice(offset, offset + limit))
        assert.deepEqual([page.total, page.offset, page.limit], [23, offset, limit])
      }
    assert.deepEqual((await offsetPage(list, '')).items, all)
  })

  test('the links of a page lead through the whole list, forward and back', async () => {
    await using admin = await startAdminServer({ engine })
    await fill(admin, 17)
    const list = { admin, path: '/sessions' }
    const all = idsOf([await offsetPage(list, '')])
    const forward: string[] = []
    for (let query: string | undefined = '?limit=5'; query !== undefined; ) {
      const page = await offsetPage(list, query)
      forward.push(...idsOf([page]))
      query = page.links.next
    }
    assert.deepEqual(forward, all)
    const last = await offsetPage(list, (await offsetPage(list, '?limit=5')).links.last ?? '')
    assert.deepEqual(idsOf([last]), all.slice(15))
    const backward: string[] = []
    for (let page = last; ; page = await offsetPage(list, page.links.prev)) {
      backward.unshift(...idsOf([page]))
      if (page.links.prev === undefined) break
    }
    assert.deepEqual(backward, all)
  })

  test('a record that comes in at the front shifts the next page, as offset style does', async () => {
    await using admin = await startAdminServer({ engine })
    await fill(admin, 10)
    const list = { admin, path: '/sessions' }
    const first = await offsetPage(list, '?limit=5')
    await admin.record([{ by: by('newcomer', admin.issuer, 'c-new') }])
    const second = await offsetPage(list, '?limit=5&offset=5')
    assert.equal(idsOf([second])[0], idsOf([first]).at(-1))
    assert.equal(second.total, 11)
  })

  test('while sessions come and go, each page and its total are of one moment', async () => {
    await using admin = await startAdminServer({ engine })
    await fill(admin, 30)
    const writing = churn(admin)
    const totals = new Set<number>()
    for (let round = 0; round < 60 || writing.changes() <= 20 || totals.size === 1; round += 1) {
      const [offset, limit] = [(round * 7) % 40, 1 + ((round * 3) % 12)]
      // The checks of links and totals in here are what would fail.
      const { items, total } = await offsetPage(
        { admin, path: '/sessions' },
        `?limit=${limit}&offset=${offset}`,
      )
      assert.equal(items.length, Math.min(limit, Math.max(0, total - offset)))
      assert.equal(new Set(idsOf([{ items }])).size, items.length)
      totals.add(total)
      await aMoment()
    }
    await writing.stop()
  })

  test('numbers that are none and cursors are refused', async () => {
    await using admin = await startAdminServer({ engine })
    const cases = [
      ['limit=0', 'invalid_limit'],
      ['limit=101', 'invalid_limit'],
      ['limit=1e1', 'invalid_limit'],
      ['limit=-1', 'invalid_limit'],
      ['limit=', 'invalid_limit'],
      ['offset=-1', 'invalid_offset'],
      ['offset=1.5', 'invalid_offset'],
      ['offset=10001', 'invalid_offset'],
      ['offset=99999999999999999999', 'invalid_offset'],
    ] as const
    for (const [query, code] of cases) {
      const refused = await admin.call(`/sessions?${query}`)
      assert.deepEqual([refused.statusCode, refused.json().code], [400, code], query)
      assert.equal(refused.json().recovery, 'fix_request')
    }
    for (const query of ['cursor=abc', 'pageToken=abc', 'offset=1&offset=2'])
      assert.equal((await admin.call(`/sessions?${query}`)).statusCode, 400)
  })
})

/** Adds sessions and removes them again; answers how often. */
function churn({ store, record, issuer }: AdminServer): Writing {
  return keepWriting(async (turn) => {
    const credentials = [0, 1, 2].map((index) => `churn-${turn}-${index}`)
    await record(credentials.map((credential) => ({ by: by('churn', issuer, credential) })))
    await new Promise(setImmediate)
    if (turn % 3 === 2) await store.db.deleteFrom('sessions').where('principal', '=', 'churn').execute()
  })
}
