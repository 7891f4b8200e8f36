import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import { rotateKeys } from '../../src/authority/key-ring.ts'
import { sweepExpired } from '../../src/authority/sweep.ts'
import { postgres, sqlite } from '../store/engines.ts'
import { redirectUri, secret, startAlone, startCore } from './core-authority.ts'
import { authorize, type Place, redeem, refresh, register } from './core-flow.ts'

async function tokenFrom(place: Place, others: readonly Place[] = []): Promise<string> {
  return String((await redeem(place, await authorize([place, ...others]))).body.access_token)
}

async function publishedAt({ url }: Place): Promise<ReadonlySet<string>> {
  const { keys }: { keys: { kid: string }[] } = JSON.parse(await (await fetch(new URL('/jwks', url))).text())
  return new Set(keys.map(({ kid }) => kid))
}

test('two instances on one Postgres are one authority: every step may go to the other', async () => {
  await using database = await postgres.create()
  await using one = await startCore({ database: database.url })
  await using other = await startCore({ database: database.url, issuer: one.issuer })
  const { body } = await register(one, {
    redirect_uris: [redirectUri],
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
  })
  const client = { client_id: String(body.client_id) }
  const authorization = await authorize([one, other], client)
  assert.equal(authorization.back.searchParams.get('iss'), one.issuer)
  const tokens = await redeem(other, authorization, client)
  assert.equal(tokens.status, 200)
  const keys = createRemoteJWKSet(new URL('/jwks', one.url))
  await jwtVerify(String(tokens.body.access_token), keys, { issuer: one.issuer })
  assert.equal((await refresh(one, tokens.body.refresh_token, client.client_id)).status, 200)
  assert.equal((await refresh(other, tokens.body.refresh_token, client.client_id)).status, 400)
})

test('of refreshes at two instances at the same time, one succeeds', async () => {
  await using database = await postgres.create()
  await using one = await startCore({ database: database.url })
  await using other = await startCore({ database: database.url, issuer: one.issuer })
  const { body } = await redeem(one, await authorize(one))
  const tries = [one, other, one, other].map((place) => refresh(place, body.refresh_token))
  const answers = await Promise.all(tries)
  assert.equal(answers.filter(({ status }) => status === 200).length, 1)
})

test('a new key is at every instance before it signs, and old tokens verify after', async () => {
  let offset = 0
  const now = (): number => Date.now() * 1000 + offset
  await using database = await postgres.create()
  await using one = await startCore({ database: database.url, now })
  await using other = await startCore({ database: database.url, issuer: one.issuer, now })
  const old = await tokenFrom(one)
  const oldKid = decodeProtectedHeader(old).kid
  const { kid } = await rotateKeys(one.context.store, { secret, now, accessTokenSeconds: 600 })
  await Promise.all([one.refreshKeys(), other.refreshKeys()])
  assert.deepEqual(await publishedAt(one), new Set([oldKid, kid]))
  assert.deepEqual(await publishedAt(other), new Set([oldKid, kid]))
  const kids = async (): Promise<unknown> => {
    const tokens = await Promise.all([tokenFrom(one), tokenFrom(other, [one])])
    return tokens.map((token) => decodeProtectedHeader(token).kid)
  }
  assert.deepEqual(await kids(), [oldKid, oldKid])
  offset = 60_000_000
  assert.deepEqual(await kids(), [kid, kid])
  await jwtVerify(old, createRemoteJWKSet(new URL('/jwks', other.url)), { issuer: one.issuer })
  offset = 1_000_000_000
  assert.deepEqual(await publishedAt(one), new Set([kid]))
})

test('an ID token signs its person out for as long as a session can last, though its key is published no more', async () => {
  let offset = 0
  const now = (): number => Date.now() * 1000 + offset
  await using core = await startAlone({ now })
  const { body } = await redeem(core, await authorize(core, { scope: 'openid notes:read' }))
  const hint = String(body.id_token)
  const { kid } = await rotateKeys(core.context.store, { secret, now, accessTokenSeconds: 600 })
  const signOut = async (seconds: number): Promise<unknown> => {
    offset = seconds * 1_000_000
    await sweepExpired(core.context.store, now)
    await core.refreshKeys()
    assert.equal((await publishedAt(core)).has(kid), true)
    const response = await fetch(new URL(`/end-session?id_token_hint=${hint}`, core.url))
    await response.body?.cancel()
    return response.status
  }
  assert.equal(await signOut(60 + 600 + 301), 200)
  assert.deepEqual(await publishedAt(core), new Set([kid]))
  assert.equal(await signOut(720 * 3600), 200)
  assert.deepEqual(await publishedAt(core), new Set([kid]))
  assert.equal(await signOut(720 * 3600 + 60 + 600 + 301), 400)
  assert.equal((await core.context.store.db.selectFrom('authority_keys').selectAll().execute()).length, 1)
})

test('a restart loses nothing: a code from before it is redeemed after it', async () => {
  await using database = await sqlite.create()
  const before = await startCore({ database: database.url })
  const authorization = await authorize(before)
  const { body } = await redeem(before, await authorize(before))
  await before[Symbol.asyncDispose]()
  await using after = await startCore({ database: database.url, issuer: before.issuer })
  assert.equal((await redeem(after, authorization)).status, 200)
  assert.equal((await refresh(after, body.refresh_token)).status, 200)
  const keys = createRemoteJWKSet(new URL('/jwks', after.url))
  await jwtVerify(String(body.access_token), keys, { issuer: before.issuer })
})

test('with another secret the authority does not start, and says which setting it is', async () => {
  await using database = await sqlite.create()
  const before = await startCore({ database: database.url })
  await before[Symbol.asyncDispose]()
  const authority = { secret: 'qW3eR5tY7uI9oP1aS2dF4gH6jK8lZ0xC' }
  const refusal = { code: 'misconfigured', field: 'authority.secret' }
  await assert.rejects(startCore({ database: database.url, authority }), refusal)
})
