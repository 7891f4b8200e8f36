import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { GoogleAuth } from 'google-auth-library'
import { createUsers } from '../../src/authority/users.ts'
import { microsecondClock } from '../../src/store/clock.ts'
import {
  cloudPlatform,
  desktopClient,
  gatewayUrl,
  models,
  startMachineAuthority,
} from './machine-authority.ts'
import { type Answer, assertionFields, assertionOf, payloadOf, postForm } from './machine-requests.ts'
import { openBrowser } from './people-browser.ts'

const authority = await startMachineAuthority()
after(() => authority[Symbol.asyncDispose]())
const { store, url } = authority
const password = 'correct horse battery'
const users = createUsers(store, microsecondClock(), { logarithm: 10, blockSize: 8, parallelism: 1 })
const ada = await users.add({ login: 'ada', name: 'Ada', password, isAdmin: false })
const asDesktop = basic(desktopClient.id, desktopClient.secret)

function basic(id: string, secret: string): Readonly<Record<string, string>> {
  return { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` }
}

/** What `postern login` does with a browser, up to the refresh token. */
async function logIn(client: { id: string; secret?: string; redirectUri: string }): Promise<string> {
  const verifier = randomBytes(32).toString('base64url')
  const redirectUri = client.redirectUri.replace('127.0.0.1', '127.0.0.1:5555')
  const ask = new URLSearchParams({
    response_type: 'code',
    client_id: client.id,
    redirect_uri: redirectUri,
    scope: cloudPlatform,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  const browser = openBrowser(url)
  const signIn = await browser.open(`${url}/authorize?${ask.toString()}`)
  const consent = await browser.submit(signIn, '/enter', { login: 'ada', password })
  const back = await browser.submit(consent, '/allow')
  const code = back.url.searchParams.get('code') ?? ''
  const fields = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
  }
  const isPublic = client.secret === undefined
  const answer = await postForm(
    `${url}/token`,
    isPublic ? { ...fields, client_id: client.id } : fields,
    isPublic ? {} : asDesktop,
  )
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return String(answer.body.refresh_token)
}

function fileWith(refreshToken: string): {
  readonly type: 'external_account_authorized_user'
  readonly [name: string]: string
} {
  return {
    type: 'external_account_authorized_user',
    audience: '//iam.googleapis.com/locations/global/workforcePools/W/providers/P',
    client_id: desktopClient.id,
    client_secret: desktopClient.secret,
    refresh_token: refreshToken,
    token_url: `${url}/v1/oauthtoken`,
    token_info_url: `${url}/v1/introspect`,
  }
}

function refresh(path: string, token: string, headers = asDesktop): Promise<Answer> {
  return postForm(`${url}${path}`, { grant_type: 'refresh_token', refresh_token: token }, headers)
}

test('external_account_authorized_user: the file of a person who signed in gives their tokens', async () => {
  const auth = new GoogleAuth({ credentials: fileWith(await logIn(desktopClient)) })
  const { aud, sub, scope, client_id } = payloadOf(await auth.getAccessToken())
  assert.deepEqual([aud, sub, scope, client_id], [models, ada.id, cloudPlatform, desktopClient.id])
})

test('the same file serves one program after the other', async () => {
  const file = fileWith(await logIn(desktopClient))
  const tokens = new Set<string>()
  for (let program = 0; program < 3; program += 1) {
    const auth = new GoogleAuth({ credentials: file })
    tokens.add(String(await auth.getAccessToken()))
  }
  assert.equal(tokens.size, 3)
})

test('a file that is used goes on beyond the life of its refresh token', async () => {
  const token = await logIn(desktopClient)
  const id = createHash('sha256').update(token).digest('base64url')
  const { payload } = await store.db
    .selectFrom('authority_records')
    .select('payload')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const endsAt = async (exp: number, expires_at?: number): Promise<void> => {
    const changes = { payload: JSON.stringify({ ...JSON.parse(payload), exp }) }
    const row = expires_at === undefined ? changes : { ...changes, expires_at }
    await store.db.updateTable('authority_records').set(row).where('id', '=', id).execute()
  }
  const soon = Math.floor(Date.now() / 1000) + 600
  await endsAt(soon, soon * 1_000_000)
  assert.equal((await refresh('/v1/oauthtoken', token)).status, 200)
  // As if those ten minutes had passed.
  await endsAt(soon - 1200)
  assert.equal((await refresh('/v1/oauthtoken', token)).status, 200)
  const { expires_at } = await store.db
    .selectFrom('authority_records')
    .select('expires_at')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  assert.ok(Number(expires_at) > (soon + 29 * 86_400) * 1_000_000)
})

test('at the token endpoint proper the same token rotates, and its second use ends the file as well', async () => {
  const token = await logIn(desktopClient)
  const first = await refresh('/token', token)
  assert.equal(first.status, 200)
  assert.notEqual(first.body.refresh_token, token)
  const second = await refresh('/v1/oauthtoken', token)
  assert.deepEqual([second.status, second.body.error], [400, 'invalid_grant'])
  assert.equal((await refresh('/v1/oauthtoken', String(first.body.refresh_token))).status, 400)
})

test('a client without a secret gets a new refresh token each time, here too', async () => {
  const open = { id: 'open', redirectUri: desktopClient.redirectUri }
  const token = await logIn(open)
  const fields = { grant_type: 'refresh_token', refresh_token: token, client_id: open.id }
  const first = await postForm(`${url}/v1/oauthtoken`, fields)
  assert.equal(first.status, 200)
  assert.notEqual(first.body.refresh_token, token)
  assert.equal((await postForm(`${url}/v1/oauthtoken`, fields)).status, 400)
})

test('a wrong secret, no secret and the token of another client are refused', async () => {
  const token = await logIn(desktopClient)
  const wrong = await refresh('/v1/oauthtoken', token, basic(desktopClient.id, 'another secret'))
  assert.deepEqual([wrong.status, wrong.body.error], [401, 'invalid_client'])
  const none = await postForm(`${url}/v1/oauthtoken`, {
    grant_type: 'refresh_token',
    refresh_token: token,
    client_id: desktopClient.id,
  })
  assert.equal(none.status, 401)
  const open = await postForm(`${url}/v1/oauthtoken`, {
    grant_type: 'refresh_token',
    refresh_token: token,
    client_id: 'open',
  })
  assert.deepEqual([open.status, open.body.error], [400, 'invalid_grant'])
  assert.equal((await refresh('/v1/oauthtoken', token)).status, 200)
})

test('a refusal reaches the developer in words', async () => {
  const auth = new GoogleAuth({ credentials: fileWith('unknown') })
  await assert.rejects(auth.getAccessToken(), { message: /^Error code invalid_grant/ })
})

test('a disabled user has no more tokens from the file', async () => {
  const token = await logIn(desktopClient)
  await users.disable('ada')
  const refused = await refresh('/v1/oauthtoken', token)
  await users.enable('ada')
  assert.deepEqual([refused.status, refused.body.error], [400, 'invalid_grant'])
})

test('the address for token info answers as introspection does, to those who may ask', async () => {
  const assertion = assertionOf(authority.robot, { scope: 'sessions:read' })
  const { body: given } = await postForm(`${url}/token`, assertionFields(assertion))
  const fields = { token: String(given.access_token) }
  const { status, body } = await postForm(`${url}/v1/introspect`, fields, asDesktop)
  const { active, sub, aud, scope } = body
  const { client_email: email } = authority.robot
  assert.deepEqual(
    [status, active, sub, aud, scope],
    [200, true, email, `${gatewayUrl}/api`, 'sessions:read'],
  )
  assert.equal((await postForm(`${url}/v1/introspect`, fields)).body.active, undefined)
})

const place = { universeDomain: 'postern.example', tokenUri: `${url}/token` }

interface Brief {
  readonly id: string
  readonly email: string
  readonly kid: string
}

/** Whether the opaque token of a new account is active before and after what is done to the account. */
async function activity(change: (robot: Brief) => Promise<unknown>): Promise<readonly unknown[]> {
  const name = `brief-${randomBytes(4).toString('hex')}`
  const scopes = ['sessions:read', 'events:read']
  const robot = await authority.accounts.create({ ...place, name, scopes })
  const { client_email: email, private_key_id: kid } = robot
  const { id = '' } = (await authority.accounts.findByEmail(email)) ?? {}
  const assertion = assertionOf(robot, { scope: 'sessions:read' })
  const { body } = await postForm(`${url}/token`, assertionFields(assertion))
  const active = async (): Promise<unknown> => {
    const fields = { token: String(body.access_token) }
    return (await postForm(`${url}/introspect`, fields, asDesktop)).body.active
  }
  const before = await active()
  await change({ id, email, kid })
  return [before, await active()]
}

test('a service account that is disabled has no opaque token any more', async () => {
  assert.deepEqual(await activity(({ email }) => authority.accounts.disable(email)), [true, false])
})

test('a service account that loses a key or a scope has no opaque token any more', async () => {
  const { accounts } = authority
  const losses: Readonly<Record<string, (robot: Brief) => Promise<unknown>>> = {
    'a revoked key': ({ kid }) => accounts.revokeKey(kid),
    'a rotation without an overlap': ({ email }) => accounts.rotate(email, { ...place, overlapSeconds: 0 }),
    'a narrower scope': ({ id }) => accounts.update(id, { scopes: ['events:read'] }),
  }
  for (const [what, change] of Object.entries(losses))
    assert.deepEqual(await activity(change), [true, false], what)
})

test('a service account that loses nothing keeps its opaque tokens', async () => {
  const { accounts } = authority
  const changes: Readonly<Record<string, (robot: Brief) => Promise<unknown>>> = {
    'a further key': ({ email }) => accounts.addKey(email, place),
    'a rotation with an overlap': ({ email }) => accounts.rotate(email, { ...place, overlapSeconds: 60 }),
    'a wider scope': ({ id }) =>
      accounts.update(id, { scopes: ['events:read', 'sessions:read', 'usage:read'] }),
    'another account': () => activity(({ kid }) => accounts.revokeKey(kid)),
  }
  for (const [what, change] of Object.entries(changes))
    assert.deepEqual(await activity(change), [true, true], what)
})
