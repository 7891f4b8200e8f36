import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startSigningHouse } from './signing-house.ts'

const signing = await startSigningHouse()
after(() => signing[Symbol.asyncDispose]())
const { house } = signing
await house.place.call(['authority', 'users', 'admin', 'ada'])

test('an administrator who has not signed in is sent to do so, and then sees and ends what others use', async () => {
  await using ada = await signing.visit({ isAttended: true })
  const made = await ada.call(['keys', 'create', '--name', 'nightly', '--json'])
  assert.equal(made.code, 0, made.err)
  assert.match(made.err, /Sign in at \S+ to use \S+\/api\./)
  const { id, key } = JSON.parse(made.out)
  const asked = await fetch(`${house.url}/v1beta/models`, { headers: { 'x-goog-api-key': key } })
  assert.equal(asked.status, 200)
  const { out } = await ada.call(['keys', 'revoke', id])
  assert.equal(out, `${id} is revoked.\n`)
  const question = ['events', 'list', '--action', 'DELETE /api/v1/keys/{id}']
  // An event is in the store a moment after the answer.
  let ended: Record<string, unknown> | undefined
  while (ended === undefined) [ended] = await house.place.lines(question)
  const { users } = Object(await house.place.json(['authority', 'users', 'list']))
  assert.deepEqual([ended.principal, ended.principal_name, ended.target], [users[0].id, 'ada', id])
})

test('what was allowed for one command is asked for once more by another that needs more', async () => {
  await using ada = await signing.visit({ isAttended: true })
  assert.equal((await ada.call(['keys', 'list'])).code, 0)
  const created = await ada.call(['service-accounts', 'create', 'robot', '--json'])
  assert.equal(created.code, 0, created.err)
  assert.match(created.err, /needs more than you have allowed so far: service-accounts:write/)
  assert.equal(JSON.parse(created.out).type, 'service_account')
  const [robot] = (await ada.call(['service-accounts', 'list', '--json'])).out.split('\n')
  assert.deepEqual(JSON.parse(robot ?? '').scopes, ['https://www.googleapis.com/auth/cloud-platform'])
})

test('where nobody can be asked, it is said how to sign in', async () => {
  await using ada = await signing.visit()
  const { code, out, err } = await ada.call(['sessions', 'list'])
  assert.deepEqual([code, out], [1, ''])
  assert.match(err, /postern login/)
})
