import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Adapter } from 'oidc-provider'
import { forEachEngine } from '../../test/store/engines.ts'
import { migrations } from '../store/migrations.ts'
import type { Store, StoreSchema } from '../store/store.ts'
import { recordsAdapter } from './adapter.ts'
import { createSeal } from './sealed.ts'

const seal = createSeal('Zk3vQ8nX1rT6yB9mW4pL7sD2gH5jF0aC')
const start = 1_700_000_000_000_000

function adaptersOf(store: Store): {
  readonly of: (kind: string) => Adapter
  readonly pass: (seconds: number) => void
} {
  let time = start
  return {
    of: recordsAdapter({ store, now: () => time, seal }),
    pass: (seconds) => {
      time += seconds * 1_000_000
    },
  }
}

forEachEngine((engine) => {
  test('what is upserted is found, and replaced by the next upsert', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const codes = adaptersOf(store).of('AuthorizationCode')
    await codes.upsert('one', { jti: 'one', accountId: 'ada', grantId: 'g' }, 60)
    await codes.upsert('one', { jti: 'one', accountId: 'bob', grantId: 'g' }, 60)
    assert.deepEqual(await codes.find('one'), { jti: 'one', accountId: 'bob', grantId: 'g' })
  })

  test('an id that no database can hold is not found', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    assert.equal(await adaptersOf(store).of('Client').find('a\u0000b'), undefined)
    assert.equal(await adaptersOf(store).of('Session').findByUid('a\u0000b'), undefined)
  })

  test('kinds do not see each other', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { of } = adaptersOf(store)
    await of('AuthorizationCode').upsert('one', { grantId: 'g' }, 60)
    await of('AccessToken').upsert('two', { grantId: 'g' }, 60)
    await of('AccessToken').revokeByGrantId('g')
    await of('AccessToken').destroy('one')
    assert.equal(await of('AccessToken').find('one'), undefined)
    assert.equal(await of('AccessToken').find('two'), undefined)
    assert.notEqual(await of('AuthorizationCode').find('one'), undefined)
  })

  test('what has expired is not found, by no name', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { of, pass } = adaptersOf(store)
    await of('Session').upsert('one', { jti: 'one', uid: 'u' }, 60)
    assert.deepEqual(await of('Session').findByUid('u'), { jti: 'one', uid: 'u' })
    pass(60)
    assert.equal(await of('Session').find('one'), undefined)
    assert.equal(await of('Session').findByUid('u'), undefined)
  })

  test('what was destroyed is gone, and an unknown id is nothing', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const sessions = adaptersOf(store).of('Session')
    await sessions.upsert('one', { jti: 'one' }, 60)
    await sessions.destroy('one')
    assert.equal(await sessions.find('one'), undefined)
    assert.equal(await sessions.findByUserCode('one'), undefined)
  })

  test('a session that was ended is not brought back by a request that still had it', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const sessions = adaptersOf(store).of('Session')
    const session = { jti: 'one', uid: 'u', accountId: 'ada' }
    await sessions.upsert('one', session, 3600)
    await sessions.destroy('one')
    await sessions.upsert('one', session, 3600)
    assert.equal(await sessions.find('one'), undefined)
    assert.equal(await sessions.findByUid('u'), undefined)
    const rows = await store.db.selectFrom('authority_records').selectAll().execute()
    assert.doesNotMatch(JSON.stringify(rows), /ada/)
  })

  test('a code is consumed once, is found as consumed, and an upsert does not make it new', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const codes = adaptersOf(store).of('AuthorizationCode')
    await codes.upsert('one', { jti: 'one' }, 60)
    await codes.consume('one')
    await codes.upsert('one', { jti: 'one' }, 60)
    assert.deepEqual(await codes.find('one'), { jti: 'one', consumed: start / 1_000_000 })
  })

  test('of two that consume the same token one fails, and everything of the grant ends', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { of } = adaptersOf(store)
    await of('Grant').upsert('g', { jti: 'g' }, 60)
    await of('Grant').upsert('h', { jti: 'h' }, 60)
    await of('RefreshToken').upsert('one', { grantId: 'g' }, 60)
    await of('AccessToken').upsert('two', { grantId: 'g' }, 60)
    await of('AccessToken').upsert('three', { grantId: 'h' }, 60)
    const both = await Promise.allSettled([
      of('RefreshToken').consume('one'),
      of('RefreshToken').consume('one'),
    ])
    assert.deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
    const left = [of('Grant').find('g'), of('RefreshToken').find('one'), of('AccessToken').find('two')]
    assert.deepEqual(await Promise.all(left), [undefined, undefined, undefined])
    assert.notEqual(await of('Grant').find('h'), undefined)
    assert.notEqual(await of('AccessToken').find('three'), undefined)
  })

  test('a record that was never there cannot be consumed', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    await assert.rejects(adaptersOf(store).of('RefreshToken').consume('one'), { error: 'invalid_grant' })
  })

  test('a client is kept for 30 days, without an id of ours in it', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { of, pass } = adaptersOf(store)
    await of('Client').upsert('c', { client_id: 'c' })
    pass(30 * 86_400 - 1)
    assert.deepEqual(await of('Client').find('c'), { client_id: 'c' })
    pass(1)
    assert.equal(await of('Client').find('c'), undefined)
  })

  test('the secret of a client is found again, and not in the store as it is', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const clients = adaptersOf(store).of('Client')
    await clients.upsert('c', { client_id: 'c', client_secret: 'a secret of c' })
    assert.deepEqual(await clients.find('c'), { client_id: 'c', client_secret: 'a secret of c' })
    const rows = JSON.stringify(await store.db.selectFrom('authority_records').selectAll().execute())
    assert.equal(rows.includes('a secret of c'), false)
  })

  test('what is in the cookie of a session, or was sent with a request, is not in the store as it is, and is found again', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { of } = adaptersOf(store)
    const id = 'Vx3kQ9mWn2tYbR7cLp5dZ'
    const session = { jti: id, uid: 'u', accountId: 'ada' }
    await of('Session').upsert(id, session, 60)
    const interaction = {
      jti: 'i',
      session: { accountId: 'ada', cookie: id, uid: 'u' },
      params: { state: id },
    }
    await of('Interaction').upsert('i', interaction, 60)
    const rows = JSON.stringify(await store.db.selectFrom('authority_records').selectAll().execute())
    assert.equal(rows.includes(id), false)
    assert.deepEqual(await of('Interaction').find('i'), {
      ...interaction,
      session: { accountId: 'ada', uid: 'u' },
    })
    assert.deepEqual(await of('Session').find(id), session)
    assert.deepEqual(await of('Session').findByUid('u'), session)
    await of('Session').destroy(id)
    assert.equal(await of('Session').findByUid('u'), undefined)
  })

  test('every record says whose it is, also that of somebody who has only just signed in', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { of } = adaptersOf(store)
    await of('Session').upsert('1', { accountId: 'ada' }, 60)
    await of('Interaction').upsert('2', { session: { accountId: 'ada', cookie: 'c', uid: 'u' } }, 60)
    await of('Interaction').upsert('3', { result: { login: { accountId: 'ada' } } }, 60)
    await of('ClientCredentials').upsert('4', { clientId: 'robot@demo.example' }, 60)
    await of('Client').upsert('5', { client_id: 'desk' })
    const rows = await store.db.selectFrom('authority_records').select('account_id').execute()
    const owners = rows.map(({ account_id }) => account_id ?? 'nobody').toSorted()
    assert.deepEqual(owners, ['ada', 'ada', 'ada', 'nobody', 'robot@demo.example'])
  })
})
