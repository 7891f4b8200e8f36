import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine } from '../../test/store/engines.ts'
import { migrations } from '../store/migrations.ts'
import type { Store, StoreSchema } from '../store/store.ts'
import { ensureKey, keysInForce, listKeys, loadKeys, rotateKeys } from './key-ring.ts'
import { createSeal } from './sealed.ts'
import { sharedSecret } from './secrets.ts'

const secret = 'Zk3vQ8nX1rT6yB9mW4pL7sD2gH5jF0aC'
const seal = createSeal(secret)
const start = 1_700_000_000_000_000
const second = 1_000_000
const now = (): number => start

async function signingAt(store: Store, seconds: number): Promise<readonly (string | undefined)[]> {
  const { keys } = keysInForce(await loadKeys(store, seal), start + seconds * second)
  return keys.map(({ kid }) => kid)
}

forEachEngine((engine) => {
  test('instances that start at once end with one key, which signs at once', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    await Promise.all(Array.from({ length: 5 }, () => ensureKey(store, { seal, now })))
    const keys = await listKeys(store, now)
    assert.deepEqual(
      keys.map(({ state, signsFrom }) => [state, signsFrom]),
      [['signing', start]],
    )
  })

  test('a new key is published at once, signs a minute later, and the old one stays until its tokens are gone', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    await ensureKey(store, { seal, now })
    const [first] = await listKeys(store, now)
    const rotated = await rotateKeys(store, { secret, now, accessTokenSeconds: 600 })
    assert.equal(rotated.signsFrom, start + 60 * second)
    assert.deepEqual(await signingAt(store, 0), [first?.kid, rotated.kid])
    assert.deepEqual(await signingAt(store, 59), [first?.kid, rotated.kid])
    assert.deepEqual(await signingAt(store, 60), [rotated.kid, first?.kid])
    assert.deepEqual(await signingAt(store, 60 + 600 + 299), [rotated.kid, first?.kid])
    assert.deepEqual(await signingAt(store, 60 + 600 + 300), [rotated.kid])
  })

  test('of keys made in a hurry, and by clocks that differ, the newest signs in the end and is never taken back', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    await ensureKey(store, { seal, now })
    const ahead = (): number => start + 600 * second
    const options = { secret, accessTokenSeconds: 600 }
    const hasty = await rotateKeys(store, { ...options, now: ahead })
    const third = await rotateKeys(store, { ...options, now })
    const fourth = await rotateKeys(store, { ...options, now })
    assert.ok(hasty.signsFrom < third.signsFrom && third.signsFrom < fourth.signsFrom)
    const [first] = await signingAt(store, 0)
    assert.deepEqual((await signingAt(store, 661))[0], fourth.kid)
    assert.deepEqual(new Set(await signingAt(store, 661)), new Set([first, hasty.kid, third.kid, fourth.kid]))
    assert.deepEqual(await signingAt(store, 100_000), [fourth.kid])
  })

  test('the list says which key signs, which will and which is only published', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    await ensureKey(store, { seal, now })
    await rotateKeys(store, { secret, now, accessTokenSeconds: 600 })
    const later = (): number => start + 60 * second
    assert.deepEqual(
      (await listKeys(store, now)).map(({ state }) => state),
      ['next', 'signing'],
    )
    assert.deepEqual(
      (await listKeys(store, later)).map(({ state }) => state),
      ['signing', 'published'],
    )
  })

  test('a wrong secret is refused and changes nothing', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    await ensureKey(store, { seal, now })
    await sharedSecret(store, 'cookies', { seal, now })
    const everything = async (): Promise<unknown> => [
      await store.db.selectFrom('authority_keys').selectAll().execute(),
      await store.db.selectFrom('authority_secrets').selectAll().execute(),
    ]
    const before = await everything()
    const wrong = createSeal('another secret, which is long enough')
    const refusal = { code: 'misconfigured', field: 'authority.secret' }
    await assert.rejects(ensureKey(store, { seal: wrong, now }), refusal)
    await assert.rejects(sharedSecret(store, 'cookies', { seal: wrong, now }), refusal)
    const options = { secret: 'another secret, which is long enough', now, accessTokenSeconds: 600 }
    await assert.rejects(rotateKeys(store, options), refusal)
    assert.deepEqual(await everything(), before)
  })

  test('all who ask for a shared secret get the same, and no private key is in the store as it is', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    await ensureKey(store, { seal, now })
    const secrets = await Promise.all(
      Array.from({ length: 4 }, () => sharedSecret(store, 'cookies', { seal, now })),
    )
    assert.equal(new Set(secrets).size, 1)
    const [key] = await loadKeys(store, seal)
    const rows = JSON.stringify(await store.db.selectFrom('authority_keys').selectAll().execute())
    assert.equal(rows.includes(String(key?.jwk.d)), false)
  })
})
