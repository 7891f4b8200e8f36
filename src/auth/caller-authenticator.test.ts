import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { JWT, JWTAccess } from 'google-auth-library'
import { calculateJwkThumbprint } from 'jose'
import { sql } from 'kysely'
import {
  type CallerSetting,
  cloudPlatform,
  generateUrl,
  modelResource,
  openCallers,
  place,
  publicUrl,
  request,
  verdict,
  withKey,
  withToken,
} from '../../test/auth/caller-setting.ts'
import { type LocalIssuer, startLocalIssuer } from '../../test/auth/local-issuer.ts'
import { createLocalKey } from '../../test/auth/local-key.ts'
import { Failure } from '../failure/failure.ts'
import type { CallerRequest } from './caller-authenticator.ts'

async function reasonOf(callers: CallerSetting, call: CallerRequest): Promise<unknown> {
  const outcome = await verdict(callers, call)
  assert.ok(outcome instanceof Failure, `not refused: ${JSON.stringify(outcome)}`)
  return outcome.reason
}

async function subjectOf(callers: CallerSetting, call: CallerRequest): Promise<string> {
  const outcome = await verdict(callers, call)
  assert.ok('principal' in outcome, inspect(outcome))
  return outcome.principal.subject
}

async function startIssuer(clock?: { now: number }): Promise<LocalIssuer & AsyncDisposable> {
  const now = clock === undefined ? Date.now : (): number => clock.now
  const issuer = await startLocalIssuer({ audience: modelResource, now })
  return Object.assign(issuer, { [Symbol.asyncDispose]: issuer.stop })
}

test('an API key is accepted in its header, in the URL and in both places of the Gemini CLI', async () => {
  await using callers = await openCallers()
  const { key } = await callers.apiKeys.create({ name: 'ci' })
  const bearer = ['Authorization', `Bearer ${key}`] as const
  for (const call of [
    withKey(key),
    request([], { query: `?key=${key}` }),
    request([['x-goog-api-key', key], bearer]),
    request([['x-goog-api-key', key], bearer], { query: `?alt=sse&key=${key}` }),
  ])
    assert.equal(await subjectOf(callers, call), 'ci')
})

test('the header of a key is that of the vendor', async () => {
  await using callers = await openCallers({ vendor: 'acme' })
  const { key } = await callers.apiKeys.create({ name: 'ci' })
  assert.equal(await subjectOf(callers, request([['x-acme-api-key', key]])), 'ci')
  assert.equal(await reasonOf(callers, withKey(key)), 'no_credential')
})

test('a key alone as Bearer is told that it is not a token', async () => {
  await using callers = await openCallers()
  const { key } = await callers.apiKeys.create({ name: 'ci' })
  assert.equal(await reasonOf(callers, withToken(key)), 'token_type_unsupported')
  assert.equal(await reasonOf(callers, withToken('AQ.made.up')), 'token_type_unsupported')
})

test('a key in the URL is warned of once a minute, without the key, and can be switched off', async () => {
  await using callers = await openCallers()
  const { key } = await callers.apiKeys.create({ name: 'ci' })
  const call = request([['x-goog-api-key', key]], { query: `?key=${key}` })
  for (let count = 0; count < 3; count += 1) await callers.authenticator.authenticate(call)
  assert.equal(callers.lines.length, 1)
  assert.match(callers.lines.join(), /"level":"warn".*send them as x-goog-api-key/)
  assert.ok(!callers.lines.join().includes(key))
  callers.clock.now += 60_000
  await callers.authenticator.authenticate(call)
  await callers.authenticator.authenticate(withKey(key))
  assert.equal(callers.lines.length, 2)
  await using strict = await openCallers({ keyInQuery: false, store: callers.store })
  assert.equal(await reasonOf(strict, call), 'api_key_invalid')
  assert.equal(await subjectOf(strict, withKey(key)), 'ci')
})

test('the use of a key is noted, that of a refused one is not', async () => {
  await using callers = await openCallers()
  const used = await callers.apiKeys.create({ name: 'used' })
  const blocked = await callers.apiKeys.create({ name: 'blocked', addresses: ['10.0.0.1'] })
  await callers.authenticator.authenticate(withKey(used.key))
  await reasonOf(callers, withKey(blocked.key))
  await callers.authenticator.close()
  assert.equal((await callers.apiKeys.findById(used.row.id))?.last_used_at, callers.clock.now * 1000)
  assert.equal((await callers.apiKeys.findById(blocked.row.id))?.last_used_at, null)
})

test('a use that cannot be noted refuses nobody and is logged', async () => {
  await using callers = await openCallers()
  const { key } = await callers.apiKeys.create({ name: 'ci' })
  await sql`create trigger locked before update on api_keys begin select raise(abort, 'locked'); end`.execute(
    callers.store.db,
  )
  assert.equal(await subjectOf(callers, withKey(key)), 'ci')
  await callers.authenticator.close()
  assert.match(callers.lines.join(), /"level":"warn".*the use of a credential could not be noted/)
})

test('a store that does not answer is a 503 that says nothing of the store', async () => {
  await using callers = await openCallers()
  const { key } = await callers.apiKeys.create({ name: 'ci' })
  await callers.store.db.schema.alterTable('api_keys').renameTo('gone').execute()
  const outcome = await verdict(callers, withKey(key))
  assert.ok(outcome instanceof Failure)
  assert.deepEqual([outcome.code, outcome.reason], ['unavailable', 'store_unavailable'])
  assert.doesNotMatch(outcome.message, /table|sql/i)
})

test('what is known at once is thrown at once, the rest rejects; each is a Failure', async () => {
  await using callers = await openCallers()
  const { authenticator } = callers
  assert.throws(() => authenticator.authenticate(request([])), Failure)
  assert.throws(() => authenticator.authenticate(withToken('opaque')), Failure)
  const unknown = authenticator.authenticate(withKey('made up'))
  assert.ok(unknown instanceof Promise)
  await assert.rejects(unknown, Failure)
  assert.throws(() => authenticator.authenticate(withKey('made up')), Failure)
})

test('a token of a configured issuer for the model API is accepted, and from memory without a promise', async () => {
  await using issuer = await startIssuer()
  await using callers = await openCallers({ issuers: [issuer.jwt()] })
  const token = issuer.token({ scope: cloudPlatform })
  const { principal, models } = await callers.authenticator.authenticate(withToken(token))
  assert.deepEqual([principal.subject, [...principal.scopes], models], ['alice', [cloudPlatform], undefined])
  assert.equal(principal.credential.kind, 'jwt')
  const asked = issuer.count()
  const again = callers.authenticator.authenticate(withToken(token))
  assert.ok(!(again instanceof Promise))
  assert.equal(again.principal, principal)
  assert.equal(issuer.count(), asked)
})

test('one token in two equal headers, or beside a key header of another vendor, is one token', async () => {
  await using issuer = await startIssuer()
  await using callers = await openCallers({ issuers: [issuer.jwt()] })
  const header = ['Authorization', `Bearer ${issuer.token()}`] as const
  assert.equal(await subjectOf(callers, request([header, header])), 'alice')
  assert.equal(await subjectOf(callers, request([header, ['x-acme-api-key', 'k']])), 'alice')
  assert.equal(await reasonOf(callers, request([header, ['x-goog-api-key', 'k']])), 'multiple_credentials')
})

test('a token for the tool server, of another issuer or of nobody is refused as invalid', async () => {
  await using issuer = await startIssuer()
  await using stranger = await startIssuer()
  await using callers = await openCallers({ issuers: [issuer.jwt()] })
  for (const token of [
    issuer.token({ aud: `${publicUrl}/mcp` }),
    issuer.token({ aud: publicUrl }),
    issuer.token({ aud: `${modelResource}1` }),
    issuer.token({ iss: undefined }),
    stranger.token(),
    stranger.token({ iss: issuer.issuer }),
  ])
    assert.equal(await reasonOf(callers, withToken(token)), 'token_invalid')
  assert.equal(stranger.count(), 0)
})

test('an expired token is told apart, whether it was remembered or not', async () => {
  const clock = { now: Date.now() }
  await using issuer = await startIssuer(clock)
  await using callers = await openCallers({ issuers: [issuer.jwt()] }, clock)
  const token = issuer.token({ exp: Math.floor(clock.now / 1000) + 60 })
  assert.equal(await subjectOf(callers, withToken(token)), 'alice')
  clock.now += 120_000
  assert.equal(await reasonOf(callers, withToken(token)), 'token_expired')
  assert.equal(await reasonOf(callers, withToken(issuer.token({ exp: 1000 }))), 'token_expired')
  assert.equal(await reasonOf(callers, withToken(issuer.token({ nbf: clock.now }))), 'token_invalid')
})

test('an issuer that does not answer is a 503, not a refusal', async () => {
  await using issuer = await startIssuer()
  await using callers = await openCallers({ issuers: [issuer.jwt()] })
  issuer.mode = 'down'
  const outcome = await verdict(callers, withToken(issuer.token()))
  assert.ok(outcome instanceof Failure && outcome.code === 'unavailable')
})

test('an opaque token is asked about where an issuer is, and there a key as Bearer is just no token', async () => {
  await using issuer = await startIssuer()
  await using callers = await openCallers({ issuers: [issuer.introspecting()] })
  issuer.answers.set('opaque', { active: true, ...issuer.claims() })
  assert.equal(await subjectOf(callers, withToken('opaque')), 'alice')
  assert.ok(!(callers.authenticator.authenticate(withToken('opaque')) instanceof Promise))
  assert.equal(await reasonOf(callers, withToken('unknown')), 'token_invalid')
})

test('a token bound to a key needs its proof for this very request', async () => {
  await using issuer = await startIssuer()
  await using callers = await openCallers({ issuers: [issuer.jwt()] })
  const client = createLocalKey()
  const token = issuer.token({ cnf: { jkt: await calculateJwkThumbprint(client.bareJwk) } })
  const proof = (htu: string): readonly [string, string] => [
    'DPoP',
    client.token(
      { alg: 'ES256', typ: 'dpop+jwt', jwk: client.bareJwk },
      {
        jti: crypto.randomUUID(),
        htm: 'POST',
        htu,
        iat: Math.floor(callers.clock.now / 1000),
        ath: hash('sha256', token, 'base64url'),
      },
    ),
  ]
  const bound = ['Authorization', `DPoP ${token}`] as const
  assert.equal(await subjectOf(callers, request([bound, proof(generateUrl)])), 'alice')
  assert.equal(await subjectOf(callers, request([bound, proof(generateUrl)], { query: '?alt=sse' })), 'alice')
  const used = proof(generateUrl)
  assert.equal(await subjectOf(callers, request([bound, used])), 'alice')
  for (const headers of [
    [bound, used],
    [bound],
    [bound, proof(generateUrl), proof(generateUrl)],
    [bound, proof(`${modelResource}/models`)],
  ])
    assert.equal(await reasonOf(callers, request(headers)), 'invalid_dpop_proof')
  assert.equal(await reasonOf(callers, withToken(token)), 'token_invalid')
})

test('Google’s own library is understood: a credentials file of another universe, with scopes', async () => {
  await using callers = await openCallers()
  const file = await callers.accounts.create({ ...place, name: 'robot', scopes: [cloudPlatform] })
  const client = new JWT({ scopes: [cloudPlatform] })
  client.fromJSON(file)
  const headers = await client.getRequestHeaders(generateUrl)
  const call = request([['Authorization', headers.get('authorization') ?? '']])
  const { principal } = await callers.authenticator.authenticate(call)
  assert.deepEqual([principal.subject, [...principal.scopes]], [file.client_email, [cloudPlatform]])
  assert.equal(principal.credential.kind, 'service-account')
})

test('Google’s own library is understood without scopes: the token is for the address of the request', async () => {
  await using callers = await openCallers()
  const file = await callers.accounts.create({ ...place, name: 'robot', scopes: [cloudPlatform] })
  const access = new JWTAccess(file.client_email, file.private_key, file.private_key_id)
  const url = generateUrl.replace('generate', 'streamGenerate')
  const authorization = access.getRequestHeaders(`${url}?alt=sse`).get('authorization') ?? ''
  const call = request([['Authorization', authorization]], { url, query: '?alt=sse' })
  assert.equal(await subjectOf(callers, call), file.client_email)
  assert.equal(await reasonOf(callers, { ...call, url: generateUrl }), 'jwt_invalid')
  const forService = access.getRequestHeaders(`${publicUrl}/`).get('authorization') ?? ''
  assert.equal(await subjectOf(callers, request([['Authorization', forService]])), file.client_email)
})
