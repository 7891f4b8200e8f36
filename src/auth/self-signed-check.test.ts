import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { usualClaims, usualHeader } from '../../test/auth/caller-loot.ts'
import {
  cloudPlatform,
  generateUrl,
  modelResource,
  openCallers,
  place,
  publicUrl,
  scopeBase,
  signWith,
  withToken,
} from '../../test/auth/caller-setting.ts'
import type { CredentialsFile } from '../store/service-account-file.ts'
import type { Caller } from './caller.ts'
import type { CallerRequest } from './caller-authenticator.ts'
import { parseCompactJwt } from './compact-jwt.ts'
import { createSelfSignedCheck } from './self-signed-check.ts'

const callers = await openCallers()
const { accounts, authenticator, clock } = callers
after(() => callers[Symbol.asyncDispose]())

const both = [cloudPlatform, `${scopeBase}/generative-language`]
const robot = await make('robot', both)
const narrow = await make('narrow', [`${scopeBase}/generative-language`])

function make(name: string, scopes: readonly string[]): Promise<CredentialsFile> {
  return accounts.create({ ...place, name, project: 'demo', scopes })
}

function token(file: CredentialsFile, claims: object = {}, header: object = usualHeader(file)): string {
  return signWith(file, header, { ...usualClaims(file, Math.floor(clock.now / 1000)), ...claims })
}

function forAudience(aud: string, file = robot): string {
  return token(file, { scope: undefined, aud })
}

async function call(text: string, changes: Partial<CallerRequest> = {}): Promise<Caller> {
  return authenticator.authenticate(withToken(text, changes))
}

const refused = (act: Promise<unknown>): Promise<void> =>
  assert.rejects(act, { code: 'unauthenticated', reason: 'jwt_invalid' })

test('a self-signed token names its account, and nothing of the principal is the token', async () => {
  const text = token(robot)
  const { principal, models } = await call(text)
  assert.deepEqual([principal.issuer, principal.subject], [publicUrl, robot.client_email])
  assert.deepEqual([principal.clientId, models], [robot.client_email, undefined])
  assert.deepEqual(principal.scopes, new Set(both))
  assert.deepEqual(principal.credential, { kind: 'service-account', id: robot.private_key_id })
  assert.equal(principal.dpopKeyThumbprint, undefined)
})

test('without a key id every key of the account is tried', async () => {
  const fresh = await accounts.addKey(robot.client_email, place)
  clock.now += 1000
  for (const file of [robot, fresh])
    assert.equal((await call(token(file, {}, { alg: 'RS256' }))).principal.subject, robot.client_email)
})

test('a token gets of what it asks for what the account may, and no more', async () => {
  const [, generate = ''] = both
  const scopesOf = async (file: CredentialsFile, scope: string): Promise<readonly string[]> => [
    ...(await call(token(file, { scope }))).principal.scopes,
  ]
  assert.deepEqual(await scopesOf(robot, generate), [generate])
  assert.deepEqual(await scopesOf(robot, `${generate} https://www.googleapis.com/auth/bigquery`), [generate])
  await assert.rejects(scopesOf(robot, 'https://www.googleapis.com/auth/bigquery'), {
    code: 'forbidden',
    reason: 'insufficient_scope',
  })
})

test('whoever asks for the whole platform gets what the account may, which may be less', async () => {
  const { principal } = await call(token(narrow))
  assert.deepEqual([...principal.scopes], [`${scopeBase}/generative-language`])
  assert.deepEqual(
    [...(await call(forAudience(`${publicUrl}/`, narrow))).principal.scopes],
    [`${scopeBase}/generative-language`],
  )
})

test('an audience of the gateway is good for every address', async () => {
  for (const aud of [
    publicUrl,
    `${publicUrl}/`,
    modelResource,
    `${modelResource}/`,
    'HTTPS://Gate.Example/',
  ]) {
    const text = forAudience(aud)
    for (const url of [generateUrl, `${modelResource}/models`])
      assert.equal((await call(text, { url })).principal.subject, robot.client_email)
  }
})

test('an audience that is one address is good for it alone, also when it is remembered', async () => {
  const text = forAudience(generateUrl)
  const other = { url: generateUrl.replace('tiny', 'large') }
  await refused(call(text, other))
  await call(text)
  assert.throws(() => authenticator.authenticate(withToken(text, other)), { reason: 'jwt_invalid' })
  await call(text, { query: '?alt=json' })
})

test('an audience with a query is good for this query alone', async () => {
  const text = forAudience(`${generateUrl}?alt=sse`)
  await call(text, { query: '?alt=sse' })
  await call(text, { query: 'alt=sse' })
  await refused(call(text, { query: '?alt=json' }))
  await refused(call(text))
})

test('a remembered token is answered without a promise, and is forgotten when it expires', async () => {
  const now = Math.floor(clock.now / 1000)
  const text = token(robot, { iat: now - 3600, exp: clock.now / 1000 + 0.5 })
  const first = await call(text)
  assert.equal(authenticator.authenticate(withToken(text)), first)
  clock.now += 60_500
  await refused(call(text))
})

test('tokens that share a long beginning are told apart', async () => {
  const pad = 'x'.repeat(3000)
  const now = Math.floor(clock.now / 1000)
  const claims = JSON.stringify({ pad, ...usualClaims(robot, now) })
  const narrowed = JSON.stringify({ pad, ...usualClaims(robot, now), scope: both[1] })
  const [one, other] = [claims, narrowed].map((text) => signWith(robot, usualHeader(robot), text))
  assert.ok(one !== undefined && other !== undefined)
  assert.equal(one.slice(0, 4000), other.slice(0, 4000))
  assert.equal((await call(one)).principal.scopes.size, 2)
  assert.equal((await call(other)).principal.scopes.size, 1)
  const mixed = `${other.split('.').slice(0, 2).join('.')}.${one.split('.')[2]}`
  await refused(call(mixed))
  assert.equal((await call(one)).principal.scopes.size, 2)
})

test('a key that is revoked is refused within a second, even if both memories were fresh', async () => {
  const fresh = await accounts.addKey(narrow.client_email, place)
  clock.now += 1000
  await call(token(fresh))
  clock.now += 900
  const text = token(fresh, { jti: 'verified with what the store said 900 ms ago' })
  await call(text)
  await accounts.revokeKey(fresh.private_key_id)
  clock.now += 100
  await refused(call(text))
  await refused(call(token(fresh)))
  await call(token(narrow))
})

test('an account that is disabled is refused within a second', async () => {
  const gone = await make('leaving', both)
  const text = token(gone)
  await call(text)
  await accounts.disable(gone.client_email)
  clock.now += 1000
  await refused(call(text))
})

test('a self-signed token is a Bearer token and nothing else', async () => {
  const text = token(robot)
  await call(text)
  const bound = { ...withToken(text), headers: {}, rawHeaders: ['Authorization', `DPoP ${text}`] }
  await assert.rejects(async () => authenticator.authenticate(bound), { reason: 'token_invalid' })
})

test('the use of its key is noted', async () => {
  await using own = await openCallers()
  const file = await own.accounts.create({ ...place, name: 'robot', scopes: both })
  const text = signWith(file, usualHeader(file), usualClaims(file, Math.floor(own.clock.now / 1000)))
  await own.authenticator.authenticate(withToken(text))
  await own.authenticator.close()
  const [row] = await own.store.db.selectFrom('service_account_keys').selectAll().execute()
  assert.equal(row?.last_used_at, own.clock.now * 1000)
})

test('many tokens of one account ask the store once a second', async () => {
  const asked: string[] = []
  const check = createSelfSignedCheck({
    serviceAccounts: {
      findByEmail: (email) => {
        asked.push(email)
        return accounts.findByEmail(email)
      },
      validKeys: accounts.validKeys,
    },
    issuer: publicUrl,
    wholeScope: cloudPlatform,
    now: () => clock.now,
  })
  const verify = async (text: string): Promise<string> => {
    const jwt = parseCompactJwt(text)
    assert.ok(jwt !== undefined)
    return (await check({ text, id: text }, jwt)).principal.subject
  }
  const texts = Array.from({ length: 20 }, (_, index) => token(robot, { jti: String(index) }))
  const subjects = await Promise.all(texts.map(verify))
  assert.deepEqual(new Set(subjects), new Set([robot.client_email]))
  assert.deepEqual(asked, [robot.client_email])
  clock.now += 1000
  await verify(token(robot))
  assert.equal(asked.length, 2)
})
