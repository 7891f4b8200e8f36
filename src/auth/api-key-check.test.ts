import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type DisposableStore, sqlite } from '../../test/store/engines.ts'
import type { AddressDoubt, CallerAddress } from '../config/caller-address.ts'
import type { KeyOrder } from '../store/api-key-order.ts'
import { keyHash, type NewApiKey } from '../store/api-key-secret.ts'
import { type ApiKeys, createApiKeys } from '../store/api-keys.ts'
import { migrations } from '../store/migrations.ts'
import type { StoreSchema } from '../store/store.ts'
import { type ApiKeyCheck, createApiKeyCheck } from './api-key-check.ts'

interface Setting extends AsyncDisposable {
  readonly check: ApiKeyCheck
  readonly apiKeys: ApiKeys
  readonly clock: { now: number }
  /** The hashes that the store was asked for. */
  readonly asked: string[]
  readonly store: DisposableStore<StoreSchema>
}

const here = at('127.0.0.1')

function at(address: string): () => CallerAddress {
  return () => ({ address, addressDoubt: undefined })
}

async function setting(): Promise<Setting> {
  const store = await sqlite.open<StoreSchema>(migrations)
  const clock = { now: 1_763_164_800_000 }
  const now = (): number => clock.now
  const apiKeys = createApiKeys(store, () => clock.now * 1000)
  const asked: string[] = []
  const check = createApiKeyCheck({
    apiKeys: {
      findByHash: (hash) => {
        asked.push(hash)
        return apiKeys.findByHash(hash)
      },
    },
    issuer: 'https://gate.example',
    allScopes: ['all'],
    now,
  })
  return { check, apiKeys, clock, asked, store, [Symbol.asyncDispose]: store[Symbol.asyncDispose] }
}

/** Thrown or rejected, it is refused for this reason. */
async function refused(act: () => unknown, reason: string, code = 'unauthenticated'): Promise<void> {
  await assert.rejects(async () => act(), { code, reason })
}

test('a key names its principal, what it may do and what it may call', async () => {
  await using one = await setting()
  const { check, apiKeys, clock } = one
  const expiresAt = (clock.now + 5000) * 1000
  const order: KeyOrder = {
    name: 'ci',
    principal: 'team',
    scopes: ['a', 'b'],
    models: ['m-*', 'n'],
    expiresAt,
  }
  const { key, row } = await apiKeys.create(order)
  assert.deepEqual(await check(key, here), {
    principal: {
      issuer: 'https://gate.example',
      subject: 'team',
      name: 'ci',
      clientId: undefined,
      scopes: new Set(['a', 'b']),
      expiresAt: clock.now / 1000 + 5,
      credential: { kind: 'api-key', id: row.id },
      dpopKeyThumbprint: undefined,
    },
    models: ['m-*', 'n'],
  })
})

test('a key without limits of its own may do everything that a key may do, for ever', async () => {
  await using one = await setting()
  const { key } = await one.apiKeys.create({ name: 'ci' })
  const { principal, models } = await one.check(key, here)
  assert.deepEqual([principal.subject, [...principal.scopes], models], ['ci', ['all'], undefined])
  assert.equal(principal.expiresAt, Number.POSITIVE_INFINITY)
})

test('a key of any shape is accepted, however it begins', async () => {
  await using one = await setting()
  const { row } = await one.apiKeys.create({ name: 'ci' })
  for (const key of ['AIzaSyA-imported', 'AQ.imported', 'x', 'schlüssel']) {
    await one.store.db
      .updateTable('api_keys')
      .set({ hash: keyHash(key) })
      .where('id', '=', row.id)
      .execute()
    assert.equal((await one.check(key, here)).principal.subject, 'ci')
  }
})

test('a remembered key is answered without a promise and without the store', async () => {
  await using one = await setting()
  const { key } = await one.apiKeys.create({ name: 'ci' })
  const first = await one.check(key, here)
  assert.equal(one.check(key, here), first)
  assert.equal(one.asked.length, 1)
})

test('several keys at once are told apart, and each asks the store once', async () => {
  await using one = await setting()
  const made: NewApiKey[] = []
  for (let index = 0; index < 20; index += 1) made.push(await one.apiKeys.create({ name: `key ${index}` }))
  const calls = [...made, ...made, ...made]
  const callers = await Promise.all(calls.map(async ({ key }) => one.check(key, here)))
  assert.deepEqual(
    callers.map(({ principal }) => principal.subject),
    calls.map(({ row }) => row.name),
  )
  assert.equal(one.asked.length, made.length)
})

test('a key that differs in one character is another key', async () => {
  await using one = await setting()
  const { key } = await one.apiKeys.create({ name: 'ci' })
  await one.check(key, here)
  const last = key.endsWith('A') ? 'B' : 'A'
  for (const other of [
    `${key}x`,
    key.slice(0, -1),
    `${key.slice(0, -1)}${last}`,
    key.toUpperCase(),
    ` ${key}`,
  ])
    await refused(() => one.check(other, here), 'api_key_invalid')
})

test('the hash of a key, as the store has it, is no key', async () => {
  await using one = await setting()
  const { row } = await one.apiKeys.create({ name: 'ci' })
  await refused(() => one.check(row.hash, here), 'api_key_invalid')
  await refused(() => one.check(row.id, here), 'api_key_invalid')
})

test('a revoked key is refused within a second, and every time after', async () => {
  await using one = await setting()
  const { key, row } = await one.apiKeys.create({ name: 'ci' })
  await one.check(key, here)
  await one.apiKeys.revoke(row.id)
  one.clock.now += 1000
  await refused(() => one.check(key, here), 'api_key_revoked')
  assert.throws(() => one.check(key, here), { reason: 'api_key_revoked' })
})

test('a remembered key is refused from the moment it expires', async () => {
  await using one = await setting()
  const { key } = await one.apiKeys.create({ name: 'ci', expiresAt: (one.clock.now + 500) * 1000 })
  await one.check(key, here)
  one.clock.now += 499
  assert.doesNotThrow(() => one.check(key, here))
  one.clock.now += 1
  assert.throws(() => one.check(key, here), { code: 'unauthenticated', reason: 'api_key_expired' })
  one.clock.now += 5000
  await refused(() => one.check(key, here), 'api_key_expired')
})

test('after a rotation both keys work until the overlap ends, then the new one', async () => {
  await using one = await setting()
  const old = await one.apiKeys.create({ name: 'ci' })
  const fresh = await one.apiKeys.rotate(old.row.id, 10)
  await one.check(old.key, here)
  await one.check(fresh.key, here)
  one.clock.now += 10_000
  await refused(() => one.check(old.key, here), 'api_key_expired')
  await one.check(fresh.key, here)
})

test('a key made for some addresses is refused from others, also from memory', async () => {
  await using one = await setting()
  const { key } = await one.apiKeys.create({ name: 'ci', addresses: ['10.0.0.0/8', '2001:db8::/32'] })
  for (const address of ['10.1.2.3', '::ffff:10.1.2.3', '::FFFF:10.1.2.3', '2001:db8::9'])
    assert.equal((await one.check(key, at(address))).principal.subject, 'ci')
  for (const address of [
    '11.0.0.1',
    '::ffff:11.0.0.1',
    '2001:db9::1',
    '::10.1.2.3',
    '',
    'unix',
    '10.1.2',
    '10.1.2.3.',
  ])
    await refused(() => one.check(key, at(address)), 'api_key_address_blocked', 'forbidden')
})

test('where a call came from is not asked for a key that may be used from everywhere', async () => {
  await using one = await setting()
  const { key } = await one.apiKeys.create({ name: 'ci' })
  for (const look of ['first', 'from memory'])
    assert.equal((await one.check(key, assert.fail)).principal.subject, 'ci', look)
})

const doubts: readonly (readonly [AddressDoubt, RegExp])[] = [
  ['untrusted-proxy', /stands behind a proxy that server\.trustedProxies does not name/],
  ['unnamed-caller', /X-Forwarded-For must name an address that is not one of server\.trustedProxies/],
]

for (const [addressDoubt, message] of doubts)
  test(`a key made for some addresses is refused where the caller's is in doubt: ${addressDoubt}`, async () => {
    await using one = await setting()
    const { key } = await one.apiKeys.create({ name: 'ci', addresses: ['127.0.0.0/8'] })
    const free = await one.apiKeys.create({ name: 'free' })
    for (const address of ['127.0.0.1', '192.0.2.7']) {
      const from = (): CallerAddress => ({ address, addressDoubt })
      await assert.rejects(async () => one.check(key, from), {
        code: 'forbidden',
        reason: 'api_key_address_unknown',
        message,
      })
      assert.equal((await one.check(free.key, from)).principal.subject, 'free')
    }
    assert.equal((await one.check(key, here)).principal.subject, 'ci')
  })

test('a key whose addresses were spoiled in the store is refused everywhere', async () => {
  await using one = await setting()
  const { key, row } = await one.apiKeys.create({ name: 'ci' })
  for (const addresses of ['', 'everywhere']) {
    await one.store.db.updateTable('api_keys').set({ addresses }).where('id', '=', row.id).execute()
    one.clock.now += 1000
    await refused(() => one.check(key, here), 'api_key_address_blocked', 'forbidden')
  }
})

test('a made-up key that comes again and again asks the store once a second', async () => {
  await using one = await setting()
  await Promise.all(
    Array.from({ length: 20 }, () => refused(() => one.check('made up', here), 'api_key_invalid')),
  )
  assert.throws(() => one.check('made up', here), { reason: 'api_key_invalid' })
  assert.equal(one.asked.length, 1)
})

test('a key made just after somebody tried it works a second later', async () => {
  await using one = await setting()
  const { key, row } = await one.apiKeys.create({ name: 'ci' })
  await one.store.db.deleteFrom('api_keys').execute()
  await refused(() => one.check(key, here), 'api_key_invalid')
  await one.store.db.insertInto('api_keys').values(row).execute()
  one.clock.now += 1000
  assert.equal((await one.check(key, here)).principal.subject, 'ci')
})

test('no message about a key holds the key', async () => {
  await using one = await setting()
  const failure: unknown = await Promise.resolve(one.check('postern_made-up-secret', here)).catch(
    (error: unknown) => error,
  )
  assert.ok(failure instanceof Error)
  assert.ok(!JSON.stringify([failure.message, failure.stack]).includes('made-up-secret'))
})
