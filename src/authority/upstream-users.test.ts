import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine } from '../../test/store/engines.ts'
import { Failure } from '../failure/failure.ts'
import { microsecondClock } from '../store/clock.ts'
import { migrations } from '../store/migrations.ts'
import type { StoreSchema } from '../store/store.ts'
import { demoteUpstreamAdmins, upstreamUser } from './upstream-users.ts'
import { createUsers } from './users.ts'

const now = microsecondClock()
const config = {
  name: 'Acme',
  issuer: 'https://acme.example',
  clientId: 'postern',
  clientSecret: 'a secret',
  scopes: ['openid'],
  loginClaim: 'nick',
  admins: ['Grace'],
}
const grace = { issuer: config.issuer, subject: '1', claims: { nick: 'GRACE', name: 'Grace' } }

forEachEngine((engine) => {
  test('first sign-ins of one person at the same moment end with one user', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const found = await Promise.all(
      Array.from({ length: 8 }, () => upstreamUser({ store, now }, config, grace)),
    )
    assert.equal(new Set(found.map(({ id }) => id)).size, 1)
    assert.deepEqual(
      found.map(({ login, isAdmin }) => [login, isAdmin]),
      found.map(() => ['grace', true]),
    )
  })

  test('a person whose new login somebody else has keeps the old one', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const users = createUsers(store, now, { logarithm: 10, blockSize: 8, parallelism: 1 })
    await users.add({ login: 'ada', name: 'Ada', password: 'correct horse', isAdmin: true })
    const { id } = await upstreamUser({ store, now }, config, grace)
    const renamed = { ...grace, claims: { nick: 'ada' } }
    assert.equal((await upstreamUser({ store, now }, config, renamed)).login, 'grace')
    assert.equal((await users.findByLogin('ada'))?.name, 'Ada')
    assert.equal((await users.findById(id))?.isAdmin, false)
  })

  test('who takes the login of an administrator upstream does not become one', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    await upstreamUser({ store, now }, config, grace)
    const eve = { issuer: config.issuer, subject: '2', claims: { nick: 'eve' } }
    await upstreamUser({ store, now }, config, eve)
    const posing = await upstreamUser({ store, now }, config, { ...eve, claims: { nick: 'Grace' } })
    assert.deepEqual([posing.login, posing.isAdmin], ['eve', false])
  })

  test('who is no longer named an administrator is none, without signing in again', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const users = createUsers(store, now, { logarithm: 10, blockSize: 8, parallelism: 1 })
    const { id } = await upstreamUser({ store, now }, config, grace)
    const { id: local } = await users.add({
      login: 'ada',
      name: '',
      password: 'correct horse',
      isAdmin: true,
    })
    await demoteUpstreamAdmins(store, config)
    assert.equal((await users.findById(id))?.isAdmin, true)
    await demoteUpstreamAdmins(store, { ...config, admins: [] })
    assert.equal((await users.findById(id))?.isAdmin, false)
    assert.equal((await users.findById(local))?.isAdmin, true)
  })

  test('the same subject at another issuer is another person, who cannot have the login', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    await upstreamUser({ store, now }, config, grace)
    await assert.rejects(
      upstreamUser({ store, now }, config, { ...grace, issuer: 'https://other.example' }),
      (error) => error instanceof Failure && error.code === 'conflict',
    )
  })
})
