import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alice, bookOn, lineOf, start } from '../../test/records/audit-lines.ts'
import { forEachEngine } from '../../test/store/engines.ts'
import { migrations } from '../store/migrations.ts'
import type { StoreSchema } from '../store/store.ts'

const hour = 3_600_000_000

forEachEngine((engine) => {
  test('calls and tokens are added up by hour, caller and target', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { write } = bookOn(store)
    const model = { surface: 'models', action: 'generateContent', target: 'tiny' } as const
    await write([lineOf(), lineOf({ time: start + hour - 1 }), lineOf({ time: start + hour })])
    await write([
      lineOf({ ...model, tokensIn: 3, tokensOut: 4 }),
      lineOf({ ...model, tokensIn: 10, tokensOut: 20 }),
    ])
    await write([lineOf({ ...model, tokensIn: 1 }), lineOf({ target: null })])
    const query = store.db.selectFrom('usage_hours').selectAll()
    const rows = await query.orderBy('hour').orderBy('surface').orderBy('target').execute()
    const who = { issuer: alice.issuer, principal: 'alice', denials: 0 }
    assert.deepEqual(rows, [
      { ...who, hour: start, surface: 'models', target: 'tiny', calls: 3, tokens_in: 14, tokens_out: 24 },
      { ...who, hour: start, surface: 'tools', target: '', calls: 1, tokens_in: 0, tokens_out: 0 },
      { ...who, hour: start, surface: 'tools', target: 'echo', calls: 2, tokens_in: 0, tokens_out: 0 },
      { ...who, hour: start + hour, surface: 'tools', target: 'echo', calls: 1, tokens_in: 0, tokens_out: 0 },
    ])
  })

  test('what is administered has no target, so that ids do not fill the table', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { write } = bookOn(store)
    await write(Array.from({ length: 40 }, (_, place) => lineOf({ surface: 'api', target: `id-${place}` })))
    const rows = await store.db.selectFrom('usage_hours').selectAll().execute()
    assert.deepEqual(
      rows.map(({ target, calls }) => [target, calls]),
      [['', 40]],
    )
  })

  test('what was refused has no target, so that made-up names do not fill the table', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { write } = bookOn(store)
    const denied = { decision: 'deny', status: 404 } as const
    await write(Array.from({ length: 40 }, (_, place) => lineOf({ ...denied, target: `made-up-${place}` })))
    await write([lineOf({ ...denied, by: null })])
    const rows = await store.db.selectFrom('usage_hours').selectAll().orderBy('calls').execute()
    assert.deepEqual(
      rows.map(({ principal, target, calls, denials }) => [principal, target, calls, denials]),
      [
        ['', '', 1, 1],
        ['alice', '', 40, 40],
      ],
    )
  })

  test('a count that nobody can have used does not spoil the sum', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { write } = bookOn(store)
    const line = lineOf({ tokensIn: Number.MAX_SAFE_INTEGER })
    await write([line, line, line])
    const usage = await store.db.selectFrom('usage_hours').select('tokens_in').executeTakeFirst()
    const session = await store.db.selectFrom('sessions').select('tokens_in').executeTakeFirst()
    assert.deepEqual([usage?.tokens_in, session?.tokens_in], [3_000_000_000, 3_000_000_000])
  })
})
