import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine } from '../../test/store/engines.ts'
import { definePager } from '../paging/pager.ts'
import { createTokenCodec } from '../paging/token-codec.ts'
import { keyHash } from './api-key-secret.ts'
import { type ApiKeyPlace, type ApiKeys, apiKeySort, createApiKeys } from './api-keys.ts'
import { migrations } from './migrations.ts'
import type { Store, StoreSchema } from './store.ts'

const start = 1_763_164_800_000_000
const second = 1_000_000

interface Setting {
  readonly keys: ApiKeys
  readonly hand: { time: number }
}

function keysOn(store: Store): Setting {
  const hand = { time: start }
  return { keys: createApiKeys(store, () => hand.time), hand }
}

forEachEngine((engine) => {
  test('a new key is found by its hash, and nothing of its secret is in the store', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { keys } = keysOn(store)
    const { key, row } = await keys.create({ name: 'demo', models: ['tiny'], expiresAt: start + second })
    assert.deepEqual(await keys.findByHash(keyHash(key)), row)
    assert.deepEqual(await keys.findById(row.id), row)
    assert.equal(await keys.findByHash(keyHash(`${key}x`)), undefined)
    assert.equal(await keys.findByHash(key), undefined)
    const stored = JSON.stringify(await store.db.selectFrom('api_keys').selectAll().execute())
    assert.ok(!stored.includes(key) && !stored.includes(key.slice('postern_'.length, -4)))
  })

  test('an order that is not right leaves nothing behind', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { keys } = keysOn(store)
    await assert.rejects(keys.create({ name: '' }), { code: 'invalid-request', field: 'name' })
    assert.deepEqual(await store.db.selectFrom('api_keys').selectAll().execute(), [])
  })

  test('a key without a principal is for a new one: of two of one name the second is a conflict', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { keys, hand } = keysOn(store)
    const first = await keys.create({ name: 'app', expiresAt: start + 2 * second })
    await assert.rejects(keys.create({ name: 'app' }), {
      code: 'conflict',
      field: 'name',
      message: /a key for app already: give --principal app .* or another name/,
    })
    const meant = await keys.create({ name: 'app', principal: 'app' })
    assert.deepEqual([first.row.principal, meant.row.principal], ['app', 'app'])
    await keys.revoke(meant.row.id)
    const fresh = await keys.rotate(first.row.id, 1)
    assert.equal(fresh.row.principal, 'app')
    await keys.revoke(fresh.row.id)
    await assert.rejects(keys.create({ name: 'app' }), { code: 'conflict' })
    hand.time += 2 * second
    assert.equal((await keys.create({ name: 'app' })).row.principal, 'app')
    await keys.create({ name: 'one', principal: 'team' })
    await assert.rejects(keys.create({ name: 'team' }), { code: 'conflict' })
  })

  test('of many who ask for a key of one name at once, one gets it', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { keys } = keysOn(store)
    const asked = Array.from({ length: 8 }, () => keys.create({ name: 'app' }))
    const outcomes = await Promise.allSettled(asked)
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
  })

  test('no key is for a service account, nor renamed to look like one', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { keys } = keysOn(store)
    const email = 'robot@demo.iam.postern.example'
    const refusal = { code: 'invalid-request', message: /must not be like the e-mail of a service account/ }
    await assert.rejects(keys.create({ name: 'nightly', principal: email }), refusal)
    await assert.rejects(keys.create({ name: email }), refusal)
    const { row } = await keys.create({ name: 'nightly' })
    await assert.rejects(keys.update(row.id, { name: email }), refusal)
  })

  test('a key is changed where a change says so, and null takes a limit away', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { keys, hand } = keysOn(store)
    const { row } = await keys.create({ name: 'demo', scopes: ['a'], models: ['tiny'] })
    hand.time += second
    const changes = { name: 'new', scopes: null, addresses: ['10.0.0.0/8', '10.0.0.0/8'] }
    const changed = await keys.update(row.id, changes)
    const { time: updated_at } = hand
    assert.deepEqual(changed, { ...row, name: 'new', scopes: null, addresses: '10.0.0.0/8', updated_at })
    assert.deepEqual(await keys.findById(row.id), changed)
    await assert.rejects(keys.update(row.id, { models: [] }), { code: 'invalid-request', field: 'models' })
    assert.equal(await keys.update('nobody', { name: 'x' }), undefined)
  })

  test('a key that has ended cannot be changed, least of all be given more time', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { keys, hand } = keysOn(store)
    const expired = await keys.create({ name: 'short', expiresAt: start + second })
    const revoked = await keys.create({ name: 'gone' })
    await keys.revoke(revoked.row.id)
    hand.time += second
    for (const { row } of [expired, revoked]) {
      const before = await keys.findById(row.id)
      await assert.rejects(keys.update(row.id, { expiresAt: null }), { code: 'conflict' })
      assert.deepEqual(await keys.findById(row.id), before)
    }
  })

  test('a key is revoked once, and is still found', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { keys, hand } = keysOn(store)
    const { row } = await keys.create({ name: 'demo' })
    hand.time += second
    assert.equal(await keys.revoke(row.id), true)
    assert.equal(await keys.revoke(row.id), false)
    assert.equal(await keys.revoke('nobody'), false)
    assert.deepEqual(await keys.findById(row.id), {
      ...row,
      revoked_at: start + second,
      updated_at: start + second,
    })
  })

  test('a rotation gives a key of the same rights, and the old one ends with the overlap', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { keys, hand } = keysOn(store)
    const order = { name: 'demo', principal: 'team', scopes: ['a'], models: ['m'], addresses: ['::1'] }
    const old = await keys.create(order)
    hand.time += second
    const fresh = await keys.rotate(old.row.id, 60)
    assert.deepEqual(await keys.findByHash(keyHash(fresh.key)), fresh.row)
    const { name, principal, scopes, models, addresses, expires_at } = fresh.row
    assert.deepEqual([name, principal, scopes, models, addresses], ['demo', 'team', 'a', 'm', '::1'])
    assert.equal(expires_at, null)
    const left = await keys.findById(old.row.id)
    assert.deepEqual([left?.expires_at, left?.replaced_by], [start + 61 * second, fresh.row.id])
  })

  test('a rotation without an overlap revokes the old key, so that no clock decides', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { keys, hand } = keysOn(store)
    const old = await keys.create({ name: 'demo' })
    hand.time += second
    const fresh = await keys.rotate(old.row.id, 0)
    const { time: revoked_at } = hand
    const left = { ...old.row, revoked_at, updated_at: revoked_at, replaced_by: fresh.row.id }
    assert.deepEqual(await keys.findById(old.row.id), left)
    assert.deepEqual([fresh.row.revoked_at, fresh.row.expires_at], [null, null])
  })

  test('what is over or still to come is so on the wall clock, however far the other one is ahead', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const hour = 3600 * second
    const keys = createApiKeys(
      store,
      () => start + hour,
      () => start,
    )
    const { row } = await keys.create({ name: 'demo', expiresAt: start + 1800 * second })
    await assert.rejects(keys.create({ name: 'demo' }), { code: 'conflict' })
    await assert.rejects(keys.create({ name: 'gone', expiresAt: start }), { field: 'expiresAt' })
    assert.equal((await keys.update(row.id, { expiresAt: start + second }))?.expires_at, start + second)
    assert.equal((await keys.rotate(row.id, 60)).row.expires_at, start + second)
    const endless = await keys.create({ name: 'endless' })
    await keys.rotate(endless.row.id, 60)
    assert.equal((await keys.findById(endless.row.id))?.expires_at, start + 60 * second)
  })

  test('a rotation gives no key more time: the overlap ends with the old one', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { keys, hand } = keysOn(store)
    const old = await keys.create({ name: 'demo', expiresAt: start + 100 * second })
    hand.time += 90 * second
    const fresh = await keys.rotate(old.row.id, 3600)
    assert.equal((await keys.findById(old.row.id))?.expires_at, start + 100 * second)
    assert.equal(fresh.row.expires_at, start + 190 * second)
  })

  test('a successor of a key with the last end there is can still be read', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { keys, hand } = keysOn(store)
    const { row } = await keys.create({ name: 'far', expiresAt: Number.MAX_SAFE_INTEGER })
    hand.time += second
    const made = await keys.rotate(row.id, 60)
    assert.equal((await keys.findByHash(keyHash(made.key)))?.expires_at, Number.MAX_SAFE_INTEGER)
  })

  test('a key that was replaced may end earlier than the overlap, and not later', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { keys } = keysOn(store)
    const { row } = await keys.create({ name: 'demo' })
    await keys.rotate(row.id, 60)
    for (const expiresAt of [null, start + 61 * second])
      await assert.rejects(keys.update(row.id, { expiresAt }), { code: 'conflict', message: /not end later/ })
    assert.equal((await keys.update(row.id, { scopes: ['a'] }))?.expires_at, start + 60 * second)
    const earlier = start + 30 * second
    assert.equal((await keys.update(row.id, { expiresAt: earlier }))?.expires_at, earlier)
  })

  test('what has ended or was replaced is not rotated, and the message says what to do', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { keys, hand } = keysOn(store)
    const replaced = await keys.create({ name: 'replaced' })
    const fresh = await keys.rotate(replaced.row.id, 3600)
    await assert.rejects(keys.rotate(replaced.row.id, 3600), {
      code: 'conflict',
      message: new RegExp(`rotate ${fresh.row.id} instead`),
    })
    const revoked = await keys.create({ name: 'revoked' })
    await keys.revoke(revoked.row.id)
    await assert.rejects(keys.rotate(revoked.row.id, 0), { code: 'conflict', message: /create a new one/ })
    const expired = await keys.create({ name: 'expired', expiresAt: start + 1 })
    hand.time += 1
    await assert.rejects(keys.rotate(expired.row.id, 0), { code: 'conflict' })
    await assert.rejects(keys.rotate('nobody', 0), { code: 'not-found' })
  })

  for (const field of ['name', 'principal'] as const)
    test(`a key from before whose ${field} is that of a service account has no successor`, async () => {
      await using store = await engine.open<StoreSchema>(migrations)
      const { keys } = keysOn(store)
      const { row } = await keys.create({ name: 'demo', principal: 'team' })
      const account = { [field]: 'Robot@house.iam.gate.example' }
      await store.db.updateTable('api_keys').set(account).where('id', '=', row.id).execute()
      await assert.rejects(keys.rotate(row.id, 60), {
        code: 'conflict',
        message: /e-mail of a service account .*: revoke it, and create one for another principal/,
      })
      assert.deepEqual(await store.db.selectFrom('api_keys').selectAll().execute(), [{ ...row, ...account }])
      assert.equal(await keys.revoke(row.id), true)
    })

  test('an overlap that is none rejects before anything changes', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { keys } = keysOn(store)
    const { row } = await keys.create({ name: 'demo' })
    for (const overlap of [-1, Number.NaN, Number.POSITIVE_INFINITY, 91 * 86_400])
      await assert.rejects(keys.rotate(row.id, overlap), { code: 'invalid-request', field: 'overlapSeconds' })
    assert.deepEqual(await keys.findById(row.id), row)
  })

  test('the use of a key is written at most once a minute, by whichever process', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { keys, hand } = keysOn(store)
    const { row } = await keys.create({ name: 'demo' })
    const lastUse = async (): Promise<number | null | undefined> =>
      (await keys.findById(row.id))?.last_used_at
    assert.equal(await lastUse(), null)
    await keys.touch(row.id)
    hand.time += 59 * second
    assert.equal(keys.touch(row.id), undefined)
    await createApiKeys(store, () => hand.time).touch(row.id)
    assert.equal(await lastUse(), start)
    hand.time += second
    await keys.touch(row.id)
    assert.equal(await lastUse(), start + 60 * second)
  })

  test('the list is walked in pages, oldest first, revoked ones included', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { keys, hand } = keysOn(store)
    for (const name of ['one', 'two', 'three']) {
      const { row } = await keys.create({ name })
      if (name === 'two') await keys.revoke(row.id)
      hand.time += 1
    }
    const pager = definePager<ApiKeyPlace>({
      id: 'keys',
      style: 'cursor',
      sorts: { oldest: apiKeySort },
      tokens: createTokenCodec({ secrets: ['the secret of the stored pages, long'] }),
    })
    const names: string[][] = []
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await keys.list({ pager, request: pager.parse({ limit: '2', cursor }) })
      names.push(page.items.map(({ name }) => name))
      cursor = page.next
    }
    assert.deepEqual(names, [['one', 'two'], ['three']])
  })
})
