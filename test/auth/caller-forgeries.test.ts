import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { inspect } from 'node:util'
import { parseCompactJwt } from '../../src/auth/compact-jwt.ts'
import { Failure } from '../../src/failure/failure.ts'
import type { CredentialsFile } from '../../src/store/service-account-file.ts'
import { wrongAudiences, wrongNames, wrongScopes, wrongShapes, wrongTimes } from './caller-forged-claims.ts'
import { wrongAlgorithms, wrongHeaders, wrongSigners } from './caller-forged-headers.ts'
import { type Forgery, type Loot, usualClaims, usualHeader } from './caller-loot.ts'
import { cloudPlatform, openCallers, place, signWith, verdict, withToken } from './caller-setting.ts'
import { startLocalIssuer } from './local-issuer.ts'

const issuer = await startLocalIssuer({ audience: 'https://gate.example/v1beta' })
const asked = await startLocalIssuer({ audience: 'https://gate.example/v1beta' })
const callers = await openCallers({ issuers: [issuer.jwt()] })
after(async () => {
  await callers[Symbol.asyncDispose]()
  await Promise.all([issuer.stop(), asked.stop()])
})

const loot = await gather()
const kinds = [
  wrongAlgorithms,
  wrongHeaders,
  wrongSigners,
  wrongNames,
  wrongTimes,
  wrongScopes,
  wrongAudiences,
  wrongShapes,
]
const rows: readonly Forgery[] = kinds.flatMap((kind) => kind(loot))

async function gather(): Promise<Loot> {
  const { accounts, store, clock } = callers
  const make = (name: string): Promise<CredentialsFile> =>
    accounts.create({ ...place, name, project: 'demo', scopes: [cloudPlatform] })
  const [victim, other, disabled, deleted] = await Promise.all([
    make('robot'),
    make('other'),
    make('off'),
    make('gone'),
  ])
  const revoked = await accounts.addKey(victim.client_email, place)
  const expired = await accounts.addKey(victim.client_email, place)
  await accounts.revokeKey(revoked.private_key_id)
  await accounts.disable(disabled.client_email)
  await store.db
    .updateTable('service_account_keys')
    .set({ expires_at: clock.now * 1000 - 1 })
    .where('kid', '=', expired.private_key_id)
    .execute()
  await store.db.deleteFrom('service_account_keys').where('kid', '=', deleted.private_key_id).execute()
  await store.db.deleteFrom('service_accounts').where('email', '=', deleted.client_email).execute()
  return { victim, other, disabled, deleted, revoked, expired, now: Math.floor(clock.now / 1000) }
}

const accepted = [
  'jwt_invalid',
  'token_invalid',
  'token_type_unsupported',
  'insufficient_scope',
  'multiple_credentials',
]

for (const [title, token, target] of rows) {
  test(`a token that a service account did not sign for this is refused: ${title}`, async () => {
    for (const round of ['first', 'second']) {
      const outcome = await verdict(callers, withToken(token, target))
      assert.ok(outcome instanceof Failure, `accepted, or not a failure, in the ${round} round`)
      assert.match(outcome.code, /^(?:unauthenticated|forbidden|invalid-request)$/)
      assert.ok(accepted.includes(String(outcome.reason)), `${outcome.reason}: ${outcome.message}`)
      for (const part of token.split('.'))
        if (part.length > 12) assert.ok(!outcome.message.includes(part), 'a message holds no token')
    }
  })
}

test('there are at least 120 forgeries, no two the same', () => {
  assert.ok(rows.length >= 120, String(rows.length))
  assert.equal(new Set(rows.map(([title]) => title)).size, rows.length)
})

test('what the forgeries were made from is accepted', async () => {
  const { victim, now } = loot
  const outcome = await verdict(
    callers,
    withToken(signWith(victim, usualHeader(victim), usualClaims(victim, now))),
  )
  assert.ok('principal' in outcome, inspect(outcome))
  assert.equal(outcome.principal.subject, victim.client_email)
})

test('none of it makes us ask an issuer about a service account, also where opaque tokens are taken', async () => {
  const before = asked.count()
  await using both = await openCallers({ issuers: [issuer.jwt(), asked.introspecting()] })
  for (const [, token, target] of rows) {
    const outcome = await verdict(both, withToken(token, target))
    assert.ok(
      outcome instanceof Failure && /^(?:unauthenticated|forbidden|invalid-request)$/.test(outcome.code),
    )
  }
  const sent = asked.questions.map(({ body }) => new URLSearchParams(body).get('token') ?? '')
  assert.ok(asked.count() > before, 'what is no JWT is asked about')
  const named = sent.filter((token) => typeof parseCompactJwt(token)?.claims.iss === 'string')
  assert.deepEqual(named, [])
})
