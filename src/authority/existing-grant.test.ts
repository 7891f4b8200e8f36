import assert from 'node:assert/strict'
import { test } from 'node:test'
import { admin } from '../../test/authority/core-authority.ts'
import { redeem, request, signInAndAllow, site, startPeople } from '../../test/authority/people-authority.ts'
import { createConsents } from './consents.ts'
import { createLoadExistingGrant } from './existing-grant.ts'

test('a grant that is taken back while it is brought up to date stays gone', async () => {
  await using authority = await startPeople()
  const { store, now, resources, provider } = authority.context
  const asked = request(authority, 'keys:read', { resource: admin, ...site })
  const { back } = await signInAndAllow(authority, asked, 'ada')
  assert.equal((await redeem(authority, asked, back)).body.scope, 'keys:read')
  await authority.users.setAdmin('ada', false)
  const ada = await authority.users.findByLogin('ada')
  const load = createLoadExistingGrant({
    users: {
      findById: async () => {
        await store.db.deleteFrom('authority_records').where('kind', '=', 'Grant').execute()
        return ada
      },
    },
    consents: createConsents(store, now),
    resources,
    store,
  })
  const oidc = { client: { clientId: 'site' }, provider: provider(), account: { accountId: ada?.id } }
  await Reflect.apply(load, undefined, [{ oidc }])
  const grants = await store.db
    .selectFrom('authority_records')
    .where('kind', '=', 'Grant')
    .selectAll()
    .execute()
  assert.deepEqual(grants, [])
})
