import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createApiKeys } from '../../src/store/api-keys.ts'
import { microsecondClock } from '../../src/store/clock.ts'
import { forEachEngine } from '../store/engines.ts'
import { type AdminServer, by, startAdminServer } from './admin-server.ts'
import { cursorPage, idsOf, keepWriting, type Writing, walkCursor } from './walk-pages.ts'

/** So many keys, seven in each microsecond. */
async function fillKeys(admin: AdminServer, count: number): Promise<readonly string[]> {
  const keys = createApiKeys(admin.store, microsecondClock())
  const rows: { id: string; created_at: number }[] = []
  for (let index = 0; index < count; index += 1) {
    const { row } = await keys.create({ name: `key ${index}` })
    const created_at = 1_790_000_000_000_000 + Math.floor(index / 7)
    await admin.store.db.updateTable('api_keys').set({ created_at }).where('id', '=', row.id).execute()
    rows.push({ id: row.id, created_at })
  }
  return rows.toSorted((a, b) => a.created_at - b.created_at || (a.id < b.id ? -1 : 1)).map(({ id }) => id)
}

async function fillEvents(admin: AdminServer, count: number): Promise<void> {
  await admin.record(
    Array.from({ length: count }, (_, index) => ({
      requestId: `r-${index}`,
      by: by(index % 3 === 0 ? 'bob' : 'alice', admin.issuer, `c-${index % 3}`),
    })),
  )
}

forEachEngine((engine) => {
  test('keys: a walk sees all of them once, in the order of created_at and id, whatever the page size', async () => {
    await using admin = await startAdminServer({ engine })
    const ids = await fillKeys(admin, 30)
    const list = { admin, path: '/keys' }
    for (const limits of [[1], [7], [10], [30], [100], [3, 11, 2]]) {
      const pages = await walkCursor(list, limits)
      assert.deepEqual(idsOf(pages), ids)
      assert.ok(
        pages.slice(0, -1).every(({ items }, index) => items.length === limits[index % limits.length]),
      )
      assert.ok((pages.at(-1)?.items.length ?? 0) > 0, 'no page is empty')
    }
    const [first] = await walkCursor(list, [20])
    assert.deepEqual(await cursorPage(list, ''), { ...(await cursorPage(list, '')), items: first?.items })
  })

  test('events: newest first and oldest first are the same list from its two ends, and filters hold on every page', async () => {
    await using admin = await startAdminServer({ engine })
    await fillEvents(admin, 50)
    const list = { admin, path: '/events' }
    const newest = idsOf(await walkCursor(list, [7]))
    const oldest = idsOf(await walkCursor(list, [9], 'order=oldest'))
    assert.equal(newest.length, 50)
    assert.deepEqual(newest, oldest.toReversed())
    const bobs = await walkCursor(list, [4], 'principal=bob&order=oldest')
    assert.equal(idsOf(bobs).length, 17)
    assert.ok(bobs.every(({ items }) => items.every(({ principal }) => principal === 'bob')))
    assert.deepEqual((await cursorPage(list, '')).items.length, 20)
  })

  test('a cursor names a position: its record may be gone, and prev leads back to where one came from', async () => {
    await using admin = await startAdminServer({ engine })
    const ids = await fillKeys(admin, 12)
    const list = { admin, path: '/keys' }
    const first = await cursorPage(list, '?limit=4')
    await admin.store.db
      .deleteFrom('api_keys')
      .where('id', '=', ids[3] ?? '')
      .execute()
    const second = await cursorPage(list, `?limit=4&cursor=${first.next}`)
    assert.deepEqual(idsOf([second]), ids.slice(4, 8))
    const back = await cursorPage(list, second.prev ?? '')
    assert.deepEqual(idsOf([back]), ids.slice(0, 3))
    assert.equal(back.prev, undefined)
  })

  test('an empty list is one page without an end to look for', async () => {
    await using admin = await startAdminServer({ engine })
    for (const path of ['/keys', '/events', '/service-accounts', '/usage']) {
      const page = await cursorPage({ admin, path }, '')
      assert.deepEqual(page, { items: [], next: null, prev: undefined })
    }
  })

  test('keys: while others are made and removed, what stays is seen exactly once', async () => {
    await using admin = await startAdminServer({ engine })
    const ids = await fillKeys(admin, 60)
    const writing = churnKeys(admin)
    for (let round = 0; round < 3 || writing.changes() <= 10; round += 1) {
      const seen = idsOf(await walkCursor({ admin, path: '/keys' }, [3, 8]))
      assert.equal(new Set(seen).size, seen.length)
      assert.deepEqual(
        seen.filter((id) => ids.includes(id)),
        ids,
      )
    }
    await writing.stop()
  })

  test('events: while others are recorded and old ones removed, what stays is seen exactly once', async () => {
    await using admin = await startAdminServer({ engine })
    await fillEvents(admin, 120)
    const stays = new Set(Array.from({ length: 100 }, (_, index) => `r-${index + 20}`))
    const writing = churnEvents(admin)
    for (let round = 0; round < 2 || writing.changes() <= 5; round += 1) {
      const order = round % 2 === 0 ? 'newest' : 'oldest'
      const pages = await walkCursor({ admin, path: '/events' }, [5, 17], `order=${order}&action=echo`)
      const seen = pages.flatMap(({ items }) => items.map(({ request_id }) => String(request_id)))
      const kept = seen.filter((name) => stays.has(name))
      assert.deepEqual([kept.length, new Set(kept).size], [100, 100])
      assert.equal(new Set(idsOf(pages)).size, seen.length)
    }
    await writing.stop()
  })

  test('a list in cursor style cannot be jumped into', async () => {
    await using admin = await startAdminServer({ engine })
    for (const path of ['/keys', '/events', '/service-accounts', '/usage'])
      for (const query of ['?offset=5', '?page=2', '?pageToken=x']) {
        const refused = await admin.call(path + query)
        assert.equal(refused.statusCode, 400)
      }
  })
})

/** Makes keys in the middle of the list and behind it, and removes them again; answers how often. */
function churnKeys({ store }: AdminServer): Writing {
  const keys = createApiKeys(store, microsecondClock())
  return keepWriting(async (turn) => {
    const { row } = await keys.create({ name: 'churn', principal: 'churn' })
    const created_at = 1_790_000_000_000_000 + (turn % 9)
    await store.db.updateTable('api_keys').set({ created_at }).where('id', '=', row.id).execute()
    await new Promise(setImmediate)
    if (turn % 4 === 3) await store.db.deleteFrom('api_keys').where('name', '=', 'churn').execute()
  })
}

/** Records events, and removes the oldest ones as retention does. */
function churnEvents({ store, record }: AdminServer): Writing {
  return keepWriting(async (turn) => {
    if (turn >= 300) return
    await record([{ requestId: `churn-${turn}` }])
    if (turn < 20)
      await store.db
        .deleteFrom('audit_events')
        .where('seq', '=', turn + 1)
        .execute()
  })
}
