import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { startMachineAuthority } from './machine-authority.ts'
import { hostileAssertions } from './machine-hostile-assertions.ts'
import { hostileExchanges } from './machine-hostile-exchanges.ts'
import {
  type Answer,
  assertionFields,
  assertionOf,
  exchangeFields,
  postForm,
  postJson,
} from './machine-requests.ts'

const authority = await startMachineAuthority()
after(() => authority[Symbol.asyncDispose]())
const { accounts, audience, forge, robot, url } = authority
const place = { universeDomain: 'postern.example', tokenUri: `${url}/token`, scopes: ['notes:read'] }
const other = await accounts.create({ ...place, name: 'other' })
const disabled = await accounts.create({ ...place, name: 'disabled' })
await accounts.disable(disabled.client_email)
const revoked = await accounts.addKey(robot.client_email, place)
await accounts.revokeKey(revoked.private_key_id)
const expired = await accounts.create({ ...place, name: 'expired' })
await accounts.rotate(expired.client_email, { ...place, overlapSeconds: 0.000_001 })

const errors = [
  'invalid_request',
  'invalid_grant',
  'invalid_scope',
  'invalid_target',
  'unauthorized_client',
  'unsupported_grant_type',
]

function assertRefused({ status, headers, body }: Answer): void {
  assert.equal(status, 400, JSON.stringify(body))
  assert.deepEqual(Object.keys(body), ['error', 'error_description'])
  assert.ok(errors.includes(String(body.error)), String(body.error))
  assert.match(String(body.error_description), /^[\x20-\x21\x23-\x5b\x5d-\x7e]{10,300}$/)
  assert.equal(headers.get('cache-control'), 'no-store')
}

describe('no token for an assertion with', () => {
  for (const [title, fields] of hostileAssertions({ robot, other, disabled, revoked, expired })) {
    test(title, async () => assertRefused(await postForm(`${url}/token`, fields)))
  }
})

const exchanges = await hostileExchanges(authority)
describe('no token for an exchange with', () => {
  for (const [title, fields] of exchanges) {
    test(title, async () => assertRefused(await postForm(`${url}/v1/token`, fields)))
  }

  const bodies = {
    'a body that is no JSON': '{',
    'a body that is a list': '[]',
    'a body that is null': 'null',
    'a member that is a number': '{"grantType":7}',
    'a member given in both spellings': `{"grantType":"a","grant_type":"b"}`,
    'an empty object': '{}',
  }
  for (const [title, body] of Object.entries(bodies)) {
    test(title, async () => assertRefused(await postJson(`${url}/v1/token`, body)))
  }
})

test('a body beyond all measure is refused without an answer of the server itself failing', async () => {
  const fields = { ...exchangeFields(audience, 'x'.repeat(100_000)) }
  const { status } = await postForm(`${url}/v1/token`, fields)
  assert.equal(status, 413)
})

test('what was refused is no different from what is accepted but for its fault', async () => {
  const assertion = await postForm(`${url}/token`, assertionFields(assertionOf(robot)))
  const exchange = await postForm(
    `${url}/v1/token`,
    exchangeFields(audience, forge.token({ sub: 'repo:team/app:main' })),
  )
  assert.deepEqual([assertion.status, exchange.status], [200, 200])
})

test('a token of ours is neither an assertion nor the token of a workload', async () => {
  const { body } = await postForm(`${url}/token`, assertionFields(assertionOf(robot)))
  const ours = String(body.access_token)
  assert.equal(ours.split('.').length, 3)
  assertRefused(await postForm(`${url}/token`, assertionFields(ours)))
  assertRefused(await postForm(`${url}/v1/token`, exchangeFields(audience, ours)))
})

test('an unknown account, a disabled one and a wrong key are answered alike', async () => {
  const answers = await Promise.all(
    [
      assertionOf(robot, { iss: 'nobody@demo.iam.postern.example' }),
      assertionOf(disabled),
      assertionOf(other, { iss: robot.client_email }),
      assertionOf(revoked),
    ].map((assertion) => postForm(`${url}/token`, assertionFields(assertion))),
  )
  assert.equal(new Set(answers.map(({ body }) => JSON.stringify(body))).size, 1)
})
