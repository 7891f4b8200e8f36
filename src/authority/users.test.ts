import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine, sqlite } from '../../test/store/engines.ts'
import { Failure, type FailureCode } from '../failure/failure.ts'
import { microsecondClock } from '../store/clock.ts'
import { migrations } from '../store/migrations.ts'
import type { StoreSchema } from '../store/store.ts'
import { createUsers } from './users.ts'

const now = microsecondClock()
const quick = { logarithm: 10, blockSize: 8, parallelism: 1 }
const ada = { login: ' Ada@Example.org ', name: 'Ada Lovelace', password: 'correct horse', isAdmin: true }

function failsWith(code: FailureCode): (error: unknown) => boolean {
  return (error) => error instanceof Failure && error.code === code
}

forEachEngine((engine) => {
  test('a user is found by id and by login in any case, and signs in with the password alone', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const users = createUsers(store, now, quick)
    const added = await users.add(ada)
    assert.deepEqual(
      [added.login, added.name, added.isAdmin, added.isDisabled, added.upstream],
      ['ada@example.org', 'Ada Lovelace', true, false, undefined],
    )
    assert.deepEqual(await users.findById(added.id), added)
    assert.deepEqual(await users.findByLogin('ADA@example.ORG'), added)
    assert.deepEqual(await users.signIn('ada@EXAMPLE.org ', 'correct horse'), added)
    assert.equal(await users.signIn('ada@example.org', 'wrong horse'), undefined)
    assert.equal(await users.signIn('nobody', 'correct horse'), undefined)
    assert.equal(await users.signIn('a\u0000b', 'correct horse'), undefined)
  })

  test('a login is there once, whatever its case', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const users = createUsers(store, now, quick)
    const outcomes = await Promise.allSettled([
      users.add(ada),
      users.add({ ...ada, login: 'ADA@example.org' }),
    ])
    assert.deepEqual(outcomes.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
    await assert.rejects(users.add(ada), failsWith('conflict'))
  })

  test('a disabled user cannot sign in until enabled again', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const users = createUsers(store, now, quick)
    const { id } = await users.add(ada)
    await users.disable(ada.login)
    assert.equal(await users.signIn(ada.login, ada.password), undefined)
    assert.equal((await users.findById(id))?.isDisabled, true)
    await users.enable(ada.login)
    assert.equal((await users.signIn(ada.login, ada.password))?.id, id)
  })

  test('a new password takes the place of the old, and admin can be given and taken', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const users = createUsers(store, now, quick)
    await users.add(ada)
    await users.setPassword('ada@example.org', 'battery staple')
    await users.setAdmin('ada@example.org', false)
    assert.equal(await users.signIn(ada.login, 'correct horse'), undefined)
    assert.equal((await users.signIn(ada.login, 'battery staple'))?.isAdmin, false)
  })

  test('a removed user is gone with what they allowed, and a later one of the login is another person', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const users = createUsers(store, now, quick)
    const first = await users.add(ada)
    const consent = { user_id: first.id, client_id: 'desk', grant_id: 'g', created_at: 1, updated_at: 1 }
    await store.db.insertInto('authority_consents').values(consent).execute()
    await users.remove('ADA@example.org')
    assert.equal(await users.findById(first.id), undefined)
    assert.deepEqual(await store.db.selectFrom('authority_consents').selectAll().execute(), [])
    assert.notEqual((await users.add(ada)).id, first.id)
  })

  test('the list comes in pages, in the order of logins', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const users = createUsers(store, now, quick)
    const row = { display_name: '', password: null, is_admin: 0, created_at: 1, updated_at: 1 }
    const rows = ['d', 'a', 'c', 'b', 'e'].map((login) => ({
      ...row,
      id: login,
      login,
      upstream_issuer: 'https://upstream.example',
      upstream_subject: login,
      disabled_at: null,
    }))
    await store.db.insertInto('authority_users').values(rows).execute()
    const first = await users.list({ limit: 2 })
    const second = await users.list({ limit: 3, after: first.next ?? '' })
    assert.deepEqual(
      [
        first.users.map(({ login }) => login),
        first.next,
        second.users.map(({ login }) => login),
        second.next,
      ],
      [['a', 'b'], 'b', ['c', 'd', 'e'], undefined],
    )
  })

  test('a user of the upstream has no password to set or to sign in with', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const users = createUsers(store, now, quick)
    const { id } = await users.add(ada)
    const upstream = { upstream_issuer: 'https://upstream.example', upstream_subject: '1', password: null }
    await store.db.updateTable('authority_users').set(upstream).where('id', '=', id).execute()
    await assert.rejects(users.setPassword(ada.login, 'battery staple'), failsWith('conflict'))
    assert.equal(await users.signIn(ada.login, ''), undefined)
  })
})

test('bad logins, bad passwords and unknown users are refused', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  const users = createUsers(store, now, quick)
  for (const login of ['', '  ', 'a b', 'a\u202Eb', 'x'.repeat(129)]) {
    await assert.rejects(users.add({ ...ada, login }), failsWith('invalid-request'))
  }
  await assert.rejects(users.add({ ...ada, password: 'short' }), failsWith('invalid-request'))
  for (const change of [users.disable, users.enable, users.remove]) {
    await assert.rejects(change('nobody'), failsWith('not-found'))
  }
  await assert.rejects(users.setPassword('nobody', 'battery staple'), failsWith('not-found'))
})
