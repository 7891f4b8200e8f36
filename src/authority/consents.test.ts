import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine } from '../../test/store/engines.ts'
import { microsecondClock } from '../store/clock.ts'
import { migrations } from '../store/migrations.ts'
import type { StoreSchema } from '../store/store.ts'
import { createConsents } from './consents.ts'

forEachEngine((engine) => {
  test('a grant is remembered per person and client, and it is the newest one', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const consents = createConsents(store, microsecondClock())
    await consents.rememberGrant('ada', 'desk', 'first')
    await consents.rememberGrant('ada', 'desk', 'second')
    await consents.rememberGrant('bob', 'desk', 'third')
    const found = (): Promise<(string | undefined)[]> =>
      Promise.all(['ada', 'bob'].map((user) => consents.findGrantId(user, 'desk')))
    assert.deepEqual(await found(), ['second', 'third'])
    assert.equal(await consents.findGrantId('ada', 'other'), undefined)
  })
})
