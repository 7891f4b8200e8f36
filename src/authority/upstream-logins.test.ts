import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine } from '../../test/store/engines.ts'
import { migrations } from '../store/migrations.ts'
import type { StoreSchema } from '../store/store.ts'
import { createUpstreamLogins } from './upstream-logins.ts'

const login = { state: 'the state', nonce: 'the nonce', verifier: 'the verifier' }

forEachEngine((engine) => {
  test('a login is given once, to the interaction that began it, on any instance', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const instances = [1, 2].map(() => createUpstreamLogins(store, () => 1))
    await instances[0]?.keep('mine', login)
    assert.equal(await instances[1]?.interactionOf('the state'), 'mine')
    assert.equal(await instances[1]?.take('yours', 'the state'), undefined)
    const taken: unknown[] = []
    for (const instance of [...instances, ...instances]) taken.push(await instance.take('mine', 'the state'))
    assert.deepEqual(taken, [login, undefined, undefined, undefined])
    assert.equal(await instances[0]?.interactionOf('the state'), 'mine')
  })

  test('ten minutes later it is gone, and the store never had any of it as it is', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    let at = 0
    const logins = createUpstreamLogins(store, () => at)
    await logins.keep('mine', login)
    const rows = await store.db.selectFrom('authority_records').selectAll().execute()
    assert.doesNotMatch(JSON.stringify(rows), /the (?:state|nonce|verifier)/)
    at = 600 * 1_000_000
    assert.equal(await logins.interactionOf('the state'), undefined)
    assert.equal(await logins.take('mine', 'the state'), undefined)
  })
})
