import assert from 'node:assert/strict'
import { test } from 'node:test'
import { timestamp } from '../../src/store/timestamp.ts'
import { forEachEngine } from '../store/engines.ts'
import { type AdminServer, by, startAdminServer } from './admin-server.ts'

const hour = 3_600_000_000
const now = Date.now() * 1000
const thisHour = now - (now % hour)

/** What is used in an hour is told by when it was decided. */
async function fill(admin: AdminServer): Promise<void> {
  const bob = by('bob', admin.issuer, 'b-1')
  const model = { surface: 'models', action: 'generateContent', target: 'tiny' } as const
  await admin.record([
    { time: thisHour - 2 * hour, tokensIn: 1, tokensOut: 2, ...model },
    { time: thisHour - 2 * hour + 1, tokensIn: 10, tokensOut: 20, ...model },
    { time: thisHour - 2 * hour + 2, by: bob, tokensIn: 100, tokensOut: 200, ...model },
    { time: thisHour - hour },
    { time: thisHour - hour, decision: 'deny', reason: 'insufficient_scope', status: 403 },
    { time: thisHour - 40 * hour },
  ])
}

forEachEngine((engine) => {
  test('usage is summed up for each hour and whatever it is asked to be told apart by', async () => {
    await using admin = await startAdminServer({ engine })
    await fill(admin)
    const { items } = (await admin.call('/usage?by=none')).json()
    const row = { surface: null, issuer: null, principal: null, target: null }
    assert.deepEqual(items, [
      { bucket: timestamp(thisHour - hour), ...row, calls: 2, denials: 1, tokens_in: 0, tokens_out: 0 },
      {
        bucket: timestamp(thisHour - 2 * hour),
        ...row,
        calls: 3,
        denials: 0,
        tokens_in: 111,
        tokens_out: 222,
      },
    ])
    const each = (await admin.call('/usage?by=principal')).json().items
    assert.deepEqual(
      each.map(({ principal, calls }: { principal: string; calls: number }) => [principal, calls]),
      [
        ['alice', 2],
        ['alice', 2],
        ['bob', 1],
      ],
    )
    const target = (await admin.call('/usage?target=tiny&principal=bob')).json().items
    assert.equal(target.length, 1)
    assert.deepEqual([target[0].tokens_in, target[0].surface, target[0].target], [100, 'models', 'tiny'])
    assert.deepEqual((await admin.call('/usage?target=%00')).json().items, [])
    const from = encodeURIComponent(timestamp(thisHour - 48 * hour))
    const days = (await admin.call(`/usage?bucket=day&by=none&from=${from}`)).json().items
    assert.equal(
      days.reduce((sum: number, { calls }: { calls: number }) => sum + calls, 0),
      6,
    )
    assert.ok(days.every(({ bucket }: { bucket: string }) => bucket.endsWith('T00:00:00.000000Z')))
  })

  test('who may see their own usage sees no other', async () => {
    await using admin = await startAdminServer({ engine })
    await fill(admin)
    const token = admin.token('own:read', 'bob')
    const { items } = (await admin.call('/usage', { token })).json()
    assert.deepEqual(
      items.map(({ principal, calls }: { principal: string; calls: number }) => [principal, calls]),
      [['bob', 1]],
    )
    assert.equal((await admin.call('/usage?principal=alice', { token })).statusCode, 403)
  })

  test('a cursor keeps to the day that its first page was about, however late the next one is read', async () => {
    let time = thisHour + hour / 2
    await using admin = await startAdminServer({ engine, now: () => (time += 1) })
    const users = ['a', 'b', 'c', 'd']
    await admin.record(
      users.map((user) => ({ time: thisHour - 23 * hour, by: by(user, admin.issuer, `c-${user}`) })),
    )
    const first = (await admin.call('/usage?limit=2')).json()
    time += 5 * hour
    await admin.record([{ time: thisHour + 4 * hour }])
    const second = (await admin.call(`/usage?limit=2&cursor=${first.next_cursor}`)).json()
    assert.deepEqual(
      [...first.items, ...second.items].map(({ principal }: { principal: string }) => principal),
      users,
    )
    assert.equal(second.has_more, false)
    assert.equal((await admin.call('/usage')).json().items.length, 1)
  })

  test('usage is read page by page, and its cursors are good for the same question alone', async () => {
    await using admin = await startAdminServer({ engine })
    await admin.record(
      Array.from({ length: 30 }, (_, index) => ({
        time: thisHour - (index % 5) * hour,
        by: by(`user-${index}`, admin.issuer, `c-${index}`),
      })),
    )
    const seen: string[] = []
    for (let query = '/usage?limit=7'; query !== ''; ) {
      const { items, next_cursor: next } = (await admin.call(query)).json()
      seen.push(...items.map(({ principal }: { principal: string }) => principal))
      query = next === null ? '' : `/usage?limit=7&cursor=${next}`
    }
    assert.equal(seen.length, 30)
    assert.equal(new Set(seen).size, 30)
    const { next_cursor: cursor } = (await admin.call('/usage?limit=7')).json()
    for (const other of ['bucket=day', 'by=principal', 'surface=tools', 'target=echo']) {
      const refused = await admin.call(`/usage?limit=7&cursor=${cursor}&${other}`)
      assert.equal(refused.json().code, 'cursor_mismatch', other)
    }
  })

  test('a span that is too long, or ends before it begins, is refused', async () => {
    await using admin = await startAdminServer({ engine })
    const spans = [
      ['from=2026-01-01T00:00:00Z&to=2026-02-02T00:00:00Z', 400],
      ['from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00Z', 200],
      ['bucket=day&from=2025-01-01T00:00:00Z&to=2026-01-03T00:00:00Z', 400],
      ['bucket=day&from=2025-01-01T00:00:00Z&to=2026-01-02T00:00:00Z', 200],
      ['from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z', 400],
    ] as const
    for (const [query, status] of spans)
      assert.equal((await admin.call(`/usage?${query}`)).statusCode, status, query)
  })
})
