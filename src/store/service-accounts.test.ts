import assert from 'node:assert/strict'
import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto'
import { describe, test } from 'node:test'
import { forEachEngine, sqlite } from '../../test/store/engines.ts'
import { definePager } from '../paging/pager.ts'
import { createTokenCodec } from '../paging/token-codec.ts'
import type { Clock } from './clock.ts'
import { migrations } from './migrations.ts'
import { scopesOf } from './service-account-lookup.ts'
import {
  createServiceAccounts,
  type ServiceAccountPlace,
  type ServiceAccounts,
  serviceAccountSort,
} from './service-accounts.ts'
import type { Store, StoreSchema } from './store.ts'

const place = { universeDomain: 'postern.example:8443', tokenUri: 'https://postern.example:8443/token' }
const robot = {
  ...place,
  name: 'robot',
  project: 'demo',
  scopes: ['notes:read', 'notes:write', 'notes:read'],
}
const email = 'robot@demo.iam.postern.example'
const start = 1_763_164_800_000_000
const second = 1_000_000

interface Hand {
  /** Microseconds since 1970. */
  time: number
}

function accountsOn(store: Store): { readonly accounts: ServiceAccounts; readonly hand: Hand } {
  const hand: Hand = { time: start }
  const now: Clock = () => hand.time
  return { accounts: createServiceAccounts(store, now), hand }
}

async function kids(accounts: ServiceAccounts): Promise<readonly string[]> {
  const account = await accounts.findByEmail(email)
  return (await accounts.validKeys(account?.id ?? '')).map(({ kid }) => kid)
}

async function lastUse(accounts: ServiceAccounts): Promise<number | null | undefined> {
  const account = await accounts.findByEmail(email)
  return (await accounts.keysOf(account?.id ?? ''))[0]?.last_used_at
}

forEachEngine((engine) => {
  test('a new account comes with a credentials file whose key verifies with what is stored', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { accounts } = accountsOn(store)
    const file = await accounts.create(robot)
    const account = await accounts.findByEmail(email)
    const [key] = await accounts.validKeys(account?.id ?? '')
    assert.deepEqual(
      { ...file, private_key: '', private_key_id: '', client_id: '' },
      {
        type: 'service_account',
        project_id: 'demo',
        private_key_id: '',
        private_key: '',
        client_email: email,
        client_id: '',
        token_uri: place.tokenUri,
        universe_domain: place.universeDomain,
      },
    )
    assert.match(file.client_id, /^\d+$/)
    assert.equal(key?.kid, file.private_key_id)
    const text = Buffer.from('signed')
    const signature = sign('sha256', text, createPrivateKey(file.private_key))
    assert.ok(key !== undefined && verify('sha256', text, key.publicKey, signature))
    assert.equal(key.publicKey.asymmetricKeyDetails?.modulusLength, 2048)
    assert.ok(account !== undefined)
    assert.deepEqual(scopesOf(account), ['notes:read', 'notes:write'])
  })

  test('nothing of the private key is in the store', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { accounts } = accountsOn(store)
    const file = await accounts.create(robot)
    const { d, p, q } = createPrivateKey(file.private_key).export({ format: 'jwk' })
    const stored = JSON.stringify([
      await store.db.selectFrom('service_accounts').selectAll().execute(),
      await store.db.selectFrom('service_account_keys').selectAll().execute(),
    ])
    for (const secret of [d, p, q]) assert.ok(secret !== undefined && !stored.includes(secret))
    const { n } = createPublicKey(file.private_key).export({ format: 'jwk' })
    assert.ok(n !== undefined && stored.includes(n))
  })

  test('a second account of the same e-mail is refused and leaves the first as it is', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { accounts } = accountsOn(store)
    const file = await accounts.create(robot)
    await assert.rejects(accounts.create(robot), { code: 'conflict' })
    assert.deepEqual(await kids(accounts), [file.private_key_id])
  })

  test('after a rotation the old key works until the overlap ends, the new one on', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { accounts, hand } = accountsOn(store)
    const old = await accounts.create(robot)
    hand.time += second
    const fresh = await accounts.rotate(email, { ...place, overlapSeconds: 60 })
    assert.equal(fresh.client_id, old.client_id)
    assert.deepEqual(await kids(accounts), [old.private_key_id, fresh.private_key_id])
    hand.time += 60 * second - 1
    assert.equal((await kids(accounts)).length, 2)
    hand.time += 1
    assert.deepEqual(await kids(accounts), [fresh.private_key_id])
  })

  test('a rotation without an overlap revokes the other keys; any other overlap ends on the wall clock', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { accounts: right, hand } = accountsOn(store)
    const fast = createServiceAccounts(
      store,
      () => hand.time + 3600 * second,
      () => hand.time,
    )
    await fast.create(robot)
    hand.time += second
    const fresh = await fast.rotate(email, { ...place, overlapSeconds: 0 })
    assert.deepEqual(await kids(right), [fresh.private_key_id])
    const { id = '' } = (await right.findByEmail(email)) ?? {}
    const [first] = await right.keysOf(id)
    assert.deepEqual([first?.expires_at, first?.revoked_at], [null, start + 3601 * second])
    hand.time += second
    await fast.rotate(email, { ...place, overlapSeconds: 60 })
    assert.equal((await right.keysOf(id))[1]?.expires_at, start + 62 * second)
  })

  test('a rotation never gives a key that is about to end more time', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { accounts, hand } = accountsOn(store)
    const first = await accounts.create(robot)
    await accounts.rotate(email, { ...place, overlapSeconds: 10 })
    await accounts.rotate(email, { ...place, overlapSeconds: 1000 })
    hand.time += 11 * second
    const left = await kids(accounts)
    assert.equal(left.includes(first.private_key_id), false)
    assert.equal(left.length, 2)
  })

  test('an added key leaves the others alone, a revoked one is gone at once, and there are ten at most', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { accounts } = accountsOn(store)
    const first = await accounts.create(robot)
    const second = await accounts.addKey(email, place)
    assert.equal((await kids(accounts)).length, 2)
    assert.equal(await accounts.revokeKey(first.private_key_id), true)
    assert.equal(await accounts.revokeKey(first.private_key_id), false)
    assert.deepEqual(await kids(accounts), [second.private_key_id])
    const [key] = await store.db
      .selectFrom('service_account_keys')
      .selectAll()
      .where('kid', '=', second.private_key_id)
      .execute()
    assert.ok(key !== undefined)
    // To make nine more pairs of keys would take seconds.
    for (let count = 1; count < 10; count += 1)
      await store.db
        .insertInto('service_account_keys')
        .values({ ...key, kid: `copy-${count}` })
        .execute()
    await assert.rejects(accounts.addKey(email, place), { code: 'conflict', message: /10 keys/ })
    await assert.rejects(accounts.addKey('nobody@demo.iam.postern.example', place), { code: 'not-found' })
  })

  test('a disabled account says since when, and is disabled once', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { accounts } = accountsOn(store)
    await accounts.create(robot)
    assert.equal((await accounts.findByEmail(email))?.disabled_at, null)
    assert.equal(await accounts.disable(email), true)
    assert.equal(await accounts.disable(email), false)
    assert.equal((await accounts.findByEmail(email))?.disabled_at, start)
  })

  test('an account is changed where a change says so, disabled and enabled again', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { accounts, hand } = accountsOn(store)
    await accounts.create(robot)
    const account = await accounts.findByEmail(email)
    assert.ok(account !== undefined)
    assert.deepEqual(await accounts.findById(account.id), account)
    hand.time += second
    const narrowed = { ...account, scopes: 'notes:read', updated_at: hand.time }
    assert.deepEqual(await accounts.update(account.id, { scopes: ['notes:read'] }), narrowed)
    const disabled = await accounts.update(account.id, { isDisabled: true })
    assert.equal(disabled?.disabled_at, hand.time)
    hand.time += second
    const again = await accounts.update(account.id, { isDisabled: true })
    assert.equal(again?.disabled_at, disabled?.disabled_at)
    assert.equal((await accounts.update(account.id, { isDisabled: false }))?.disabled_at, null)
    await assert.rejects(accounts.update(account.id, { scopes: ['a b'] }), { field: 'scopes' })
    assert.equal(await accounts.update('nobody', { isDisabled: true }), undefined)
  })

  test('of many keys the newest are shown, and a key belongs to its own account', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { accounts, hand } = accountsOn(store)
    await accounts.create(robot)
    const { id = '' } = (await accounts.findByEmail(email)) ?? {}
    hand.time += second
    const { private_key_id: newest } = await accounts.addKey(email, place)
    const shown = await accounts.newestKeysOf(id, 1)
    assert.deepEqual(
      shown.map(({ kid }) => kid),
      [newest],
    )
    assert.equal(await accounts.hasKey(id, newest), true)
    assert.equal(await accounts.hasKey('another', newest), false)
    assert.equal(await accounts.hasKey(id, 'unknown'), false)
  })

  test('the use of a key is written at most once a minute', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { accounts, hand } = accountsOn(store)
    const { private_key_id: kid } = await accounts.create(robot)
    assert.equal(await lastUse(accounts), null)
    await accounts.touch(kid)
    hand.time += 59 * second
    await accounts.touch(kid)
    await createServiceAccounts(store, () => hand.time).touch(kid)
    assert.equal(await lastUse(accounts), start)
    hand.time += second
    await accounts.touch(kid)
    assert.equal(await lastUse(accounts), start + 60 * second)
  })

  test('the list is walked in pages, oldest first', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { accounts, hand } = accountsOn(store)
    for (const name of ['one', 'two', 'three']) {
      await accounts.create({ ...robot, name })
      hand.time += 1
    }
    const pager = definePager<ServiceAccountPlace>({
      id: 'service-accounts',
      style: 'cursor',
      sorts: { oldest: serviceAccountSort },
      tokens: createTokenCodec({ secrets: ['the secret of the stored pages, long'] }),
    })
    const names: string[][] = []
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await accounts.list({ pager, request: pager.parse({ limit: '2', cursor }) })
      names.push(page.items.map(({ name }) => name))
      cursor = page.next
    }
    assert.deepEqual(names, [['one', 'two'], ['three']])
  })
})

describe('what an account is asked to be', () => {
  const bad = {
    'a name with a capital': { name: 'Robot' },
    'a name with an @': { name: 'robot@evil' },
    'no name': { name: '' },
    'a project with a dot': { project: 'demo.iam' },
    'two scopes in one': { scopes: ['a b'] },
    'an empty scope': { scopes: [''] },
    'the universe of Google': { universeDomain: 'googleapis.com' },
    'the universe of Google in capitals': { universeDomain: 'GoogleAPIs.com' },
    'a universe with a path': { universeDomain: 'postern.example/token' },
    'a universe with a user': { universeDomain: 'user@postern.example' },
    'no universe': { universeDomain: '' },
  }
  for (const [what, change] of Object.entries(bad)) {
    test(`${what} is refused`, async () => {
      await using store = await sqlite.open<StoreSchema>(migrations)
      const { accounts } = accountsOn(store)
      await assert.rejects(accounts.create({ ...robot, ...change }), { code: 'invalid-request' })
    })
  }

  test('an overlap below nothing is refused', async () => {
    await using store = await sqlite.open<StoreSchema>(migrations)
    const { accounts } = accountsOn(store)
    await accounts.create(robot)
    for (const overlapSeconds of [-1, Number.NaN, Number.POSITIVE_INFINITY]) {
      await assert.rejects(accounts.rotate(email, { ...place, overlapSeconds }), { code: 'invalid-request' })
    }
  })
})
