import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { cloudPlatform, models, notes, startMachineAuthority } from './machine-authority.ts'
import { assertionFields, assertionOf, type Json, payloadOf, postForm, seconds } from './machine-requests.ts'

const authority = await startMachineAuthority()
after(() => authority[Symbol.asyncDispose]())
const { accounts, robot, url } = authority

async function send(change: Json = {}, header: Json = {}, more: Readonly<Record<string, string>> = {}) {
  return postForm(`${url}/token`, { ...assertionFields(assertionOf(robot, change, header)), ...more })
}

test('an assertion as the library for Node makes it gives a token of the account for its resource', async () => {
  const { status, headers, body } = await send()
  assert.equal(status, 200)
  assert.equal(headers.get('cache-control'), 'no-store')
  const { access_token: token, ...rest } = body
  assert.deepEqual(rest, { token_type: 'Bearer', expires_in: 600, scope: 'notes:read' })
  const keys = createRemoteJWKSet(new URL(`${url}/jwks`))
  const { payload, protectedHeader } = await jwtVerify(String(token), keys, { issuer: url, audience: notes })
  assert.deepEqual([protectedHeader.alg, protectedHeader.typ], ['ES256', 'at+jwt'])
  const { sub, client_id, scope, exp = 0, iat = 0 } = payload
  assert.deepEqual([sub, client_id, scope], [robot.client_email, robot.client_email, 'notes:read'])
  assert.equal(exp - iat, 600)
})

test('an assertion as the library for Python makes it gives a token', async () => {
  const { status, body } = await send({ scope: cloudPlatform }, { typ: 'JWT', kid: robot.private_key_id })
  assert.equal(status, 200)
  assert.equal(payloadOf(body.access_token).aud, models)
})

test('an assertion may name this server by its issuer, by its token endpoint, or by the older URL of Google', async () => {
  for (const aud of [url, `${url}/token`, 'https://www.googleapis.com/oauth2/v4/token', [`${url}/token`]]) {
    assert.equal((await send({ aud })).status, 200, String(aud))
  }
})

test('a subject that is the account itself is no delegation', async () => {
  assert.equal((await send({ sub: robot.client_email })).status, 200)
})

test('a clock that is four minutes off is no obstacle', async () => {
  for (const offset of [-240, 240]) {
    const iat = seconds(offset)
    assert.equal((await send({ iat, exp: iat + 3600 })).status, 200, String(offset))
  }
  assert.equal((await send({ iat: seconds(-3600), exp: seconds(-240) })).status, 200)
})

test('the scope may stand in the form, and must not differ from that of the assertion', async () => {
  const given = await send({ scope: undefined }, {}, { scope: 'notes:write' })
  assert.deepEqual([given.status, given.body.scope], [200, 'notes:write'])
  assert.equal((await send({}, {}, { scope: 'notes:read' })).status, 200)
  const differing = await send({ scope: 'notes:read notes:write' }, {}, { scope: 'notes:read' })
  assert.deepEqual([differing.status, differing.body.error], [400, 'invalid_request'])
})

test('a resource that is named decides, and scopes that are not its own are dropped', async () => {
  const scope = `notes:read ${cloudPlatform} unknown:scope`
  const { body } = await send({ scope }, {}, { resource: models })
  assert.equal(body.scope, cloudPlatform)
  assert.deepEqual(
    [payloadOf(body.access_token).aud, payloadOf(body.access_token).scope],
    [models, cloudPlatform],
  )
})

test('scopes of two resources need a resource, and an unknown one is refused', async () => {
  const both = await send({ scope: `notes:read ${cloudPlatform}` })
  assert.deepEqual([both.status, both.body.error], [400, 'invalid_target'])
  const unknown = await send({}, {}, { resource: 'https://gateway.example/other' })
  assert.deepEqual([unknown.status, unknown.body.error], [400, 'invalid_target'])
  const elsewhere = await send({}, {}, { resource: models })
  assert.deepEqual([elsewhere.status, elsewhere.body.error], [400, 'invalid_scope'])
})

test('a request without any scope is told to name some', async () => {
  const { status, body } = await send({ scope: undefined }, {}, { resource: notes })
  assert.deepEqual([status, body.error], [400, 'invalid_scope'])
  assert.match(String(body.error_description), /name the scopes/)
})

test('a scope beyond those of the account is refused by name', async () => {
  const { status, body } = await send({ scope: 'notes:read notes:admin' })
  assert.deepEqual([status, body.error], [400, 'invalid_scope'])
  assert.match(String(body.error_description), /notes:admin/)
})

test('an assertion with a jti is good for one token, also when two requests race', async () => {
  const fields = assertionFields(assertionOf(robot, { jti: 'once' }))
  const race = await Promise.all([1, 2, 3].map(() => postForm(`${url}/token`, fields)))
  assert.deepEqual(
    race.map(({ status }) => status).toSorted((one, other) => one - other),
    [200, 400, 400],
  )
  const late = await postForm(`${url}/token`, fields)
  assert.deepEqual([late.status, late.body.error], [400, 'invalid_grant'])
  assert.equal((await send({ jti: 'another' })).status, 200)
  const kept = await authority.store.db
    .selectFrom('authority_records')
    .select(['expires_at'])
    .where('kind', '=', 'Assertion')
    .execute()
  assert.equal(kept.length, 2)
  for (const { expires_at } of kept) assert.ok(Number(expires_at) > (seconds() + 3600) * 1_000_000)
})

test('an assertion without a jti may come twice, as RFC 7523 leaves it', async () => {
  const fields = assertionFields(assertionOf(robot))
  for (let count = 0; count < 2; count += 1) {
    assert.equal((await postForm(`${url}/token`, fields)).status, 200)
  }
})

test('both keys work while a rotation overlaps, with and without kid, and the use of each is noted', async () => {
  const place = { universeDomain: 'postern.example', tokenUri: `${url}/token` }
  const old = await accounts.create({ ...place, name: 'turning', scopes: ['notes:read'] })
  const fresh = await accounts.rotate(old.client_email, { ...place, overlapSeconds: 60 })
  for (const file of [old, fresh]) {
    for (const header of [{}, { kid: file.private_key_id }]) {
      const assertion = assertionOf(file, {}, header)
      assert.equal((await postForm(`${url}/token`, assertionFields(assertion))).status, 200)
    }
  }
  const account = await accounts.findByEmail(old.client_email)
  const keys = await accounts.keysOf(account?.id ?? '')
  assert.deepEqual(
    keys.map(({ last_used_at }) => last_used_at !== null),
    [true, true],
  )
})

test('a client that authenticates beside it is no matter', async () => {
  const answer = await postForm(`${url}/token`, assertionFields(assertionOf(robot)), {
    authorization: `Basic ${Buffer.from('any:thing').toString('base64')}`,
  })
  assert.equal(answer.status, 200)
})

test('discovery names the grant', async () => {
  const document: Json = JSON.parse(
    await (await fetch(`${url}/.well-known/oauth-authorization-server`)).text(),
  )
  const { grant_types_supported: grants } = document
  assert.ok(Array.isArray(grants) && grants.includes(assertionFields('').grant_type))
})
