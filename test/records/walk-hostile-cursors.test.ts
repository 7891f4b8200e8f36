import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine } from '../store/engines.ts'
import { type AdminServer, by, startAdminServer } from './admin-server.ts'

async function fill(admin: AdminServer): Promise<void> {
  await admin.record(
    Array.from({ length: 8 }, (_, index) => ({
      by: by(index % 2 === 0 ? 'alice' : 'bob', admin.issuer, 'c-1'),
    })),
  )
  for (let index = 0; index < 3; index += 1) {
    await admin.call('/keys', { method: 'POST', body: { name: `key ${index}` } })
    await admin.call('/service-accounts', { method: 'POST', body: { name: `a${index}`, scopes: ['a'] } })
  }
}

async function cursorOf(admin: AdminServer, path: string, token?: string): Promise<string> {
  const response = await admin.call(path, token === undefined ? {} : { token })
  const cursor: unknown = response.json().next_cursor
  if (typeof cursor === 'string') return cursor
  throw new Error(`${path} has no next page: ${response.body}`)
}

async function refused(admin: AdminServer, path: string, token?: string): Promise<unknown> {
  const response = await admin.call(path, token === undefined ? {} : { token })
  assert.equal(response.statusCode, 400, `${path}: ${response.body}`)
  const { code, field, recovery } = response.json()
  assert.deepEqual([field, recovery], ['cursor', 'restart'], path)
  assert.equal(response.headers.link, undefined)
  return code
}

forEachEngine((engine) => {
  test('a cursor is good for its list, order, filters and owner alone', async () => {
    await using admin = await startAdminServer({ engine })
    await fill(admin)
    const cursor = await cursorOf(admin, '/events?limit=2&principal=alice')
    const keys = await cursorOf(admin, '/keys?limit=1')
    const accounts = await cursorOf(admin, '/service-accounts?limit=1')
    const usage = await cursorOf(admin, '/usage?limit=1')
    assert.equal((await admin.call(`/events?limit=3&principal=alice&cursor=${cursor}`)).statusCode, 200)
    for (const query of [
      '',
      '&principal=bob',
      '&principal=alice&decision=allow',
      '&principal=alice&order=oldest',
    ])
      assert.equal(await refused(admin, `/events?cursor=${cursor}${query}`), 'cursor_mismatch', query)
    for (const [path, own] of [
      ['/events', ''],
      ['/keys', keys],
      ['/service-accounts', accounts],
      ['/usage', usage],
    ] as const)
      for (const foreign of [cursor, keys, accounts, usage].filter((one) => one !== own)) {
        const code = await refused(admin, `${path}?cursor=${foreign}`)
        assert.ok(code === 'cursor_mismatch' || code === 'invalid_cursor')
      }
    const alice = admin.token('own:read', 'alice')
    const bob = admin.token('own:read', 'bob')
    const mine = await cursorOf(admin, '/events?limit=2', alice)
    assert.equal((await admin.call(`/events?cursor=${mine}`, { token: alice })).statusCode, 200)
    assert.equal(await refused(admin, `/events?cursor=${mine}`, bob), 'invalid_cursor')
    assert.equal(await refused(admin, `/events?cursor=${mine}`), 'invalid_cursor')
    assert.equal(await refused(admin, `/events?principal=alice&cursor=${cursor}`, alice), 'invalid_cursor')
  })

  test('a cursor that was cut, changed or made up is refused, and never begins the list again', async () => {
    await using admin = await startAdminServer({ engine })
    await fill(admin)
    const cursor = await cursorOf(admin, '/events?limit=2')
    const flipped = cursor.split('').map((character, index) => {
      const other = character === 'A' ? 'B' : 'A'
      return cursor.slice(0, index) + other + cursor.slice(index + 1)
    })
    const bad = [
      ...flipped,
      '',
      '0',
      'null',
      cursor.slice(1),
      cursor.slice(0, -1),
      cursor + cursor,
      `${cursor}=`,
      `${cursor}!`,
      `${cursor}%20`,
      `${cursor}%00`,
      Buffer.from(JSON.stringify({ seq: 1 })).toString('base64url'),
      "1'%20or%201=1--",
      'x'.repeat(5000),
    ]
    for (const text of bad)
      assert.equal(await refused(admin, `/events?cursor=${text}`), 'invalid_cursor', text)
    const twice = await admin.call(`/events?cursor=${cursor}&cursor=${cursor}`)
    assert.equal(twice.statusCode, 400)
    for (const path of [`/events:stream?cursor=${cursor}x`, `/events:stream?cursor=${cursor}`])
      assert.equal((await admin.call(path)).json().field, 'cursor')
    const logged = JSON.stringify(admin.lines)
    assert.ok(!logged.includes(cursor), 'cursors are not in the log')
  })

  test('a cursor expires, and says so', async () => {
    let time = Date.now()
    await using admin = await startAdminServer({ engine, cursorTime: () => time })
    await fill(admin)
    const cursor = await cursorOf(admin, '/keys?limit=1')
    time += 71 * 3_600_000
    assert.equal((await admin.call(`/keys?limit=1&cursor=${cursor}`)).statusCode, 200)
    time += 8 * 3_600_000
    assert.equal(await refused(admin, `/keys?limit=1&cursor=${cursor}`), 'cursor_expired')
  })
})
