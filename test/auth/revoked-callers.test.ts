import assert from 'node:assert/strict'
import { test } from 'node:test'
import { JWTAccess } from 'google-auth-library'
import type { CallerRequest } from '../../src/auth/caller-authenticator.ts'
import { Failure } from '../../src/failure/failure.ts'
import type { CredentialsFile } from '../../src/store/service-account-file.ts'
import {
  type CallerSetting,
  cloudPlatform,
  modelResource,
  openCallers,
  place,
  publicUrl,
  request,
  verdict,
  withKey,
  withToken,
} from './caller-setting.ts'
import { startLocalIssuer } from './local-issuer.ts'

function makeAccount({ accounts }: CallerSetting): Promise<CredentialsFile> {
  return accounts.create({ ...place, name: 'robot', scopes: [cloudPlatform] })
}

function signedBy(file: CredentialsFile): CallerRequest {
  const access = new JWTAccess(file.client_email, file.private_key, file.private_key_id)
  return request([['Authorization', access.getRequestHeaders(`${publicUrl}/`).get('authorization') ?? '']])
}

async function reasonOf(callers: CallerSetting, call: CallerRequest): Promise<unknown> {
  const outcome = await verdict(callers, call)
  return outcome instanceof Failure ? outcome.reason : 'accepted'
}

test('what was revoked is refused at once, remembered or not: a token, an account’s key, an API key', async () => {
  const issuer = await startLocalIssuer({ audience: modelResource })
  const revoked = new Set<string>()
  await using callers = await openCallers({
    issuers: [issuer.jwt()],
    isRevoked: ({ credential }) => revoked.has(credential.id),
  })
  const account = await makeAccount(callers)
  const { key } = await callers.apiKeys.create({ name: 'ci' })
  for (const [call, reason] of [
    [withToken(issuer.token()), 'token_invalid'],
    [signedBy(account), 'jwt_invalid'],
    [withKey(key), 'api_key_revoked'],
  ] as const) {
    const { principal } = await callers.authenticator.authenticate(call)
    revoked.add(principal.credential.id)
    assert.equal(await reasonOf(callers, call), reason)
    callers.clock.now += 1000
    assert.equal(await reasonOf(callers, call), reason)
  }
  assert.ok(revoked.has(account.private_key_id))
  assert.equal(await reasonOf(callers, withToken(issuer.token())), 'accepted')
  await issuer.stop()
})

test('whoever comes before the list was read waits for it', async () => {
  for (const isRevoked of [true, false]) {
    await using callers = await openCallers({ isRevoked: async () => isRevoked })
    const calls = [
      [signedBy(await makeAccount(callers)), 'jwt_invalid'],
      [withKey((await callers.apiKeys.create({ name: 'ci' })).key), 'api_key_revoked'],
    ] as const
    for (const [call, reason] of [...calls, ...calls])
      assert.equal(await reasonOf(callers, call), isRevoked ? reason : 'accepted')
  }
})

test('without the list nobody gets a verdict', async () => {
  await using callers = await openCallers({
    isRevoked: () => {
      throw new Failure('unavailable', 'nobody can say', { reason: 'store_unavailable' })
    },
  })
  const { key } = await callers.apiKeys.create({ name: 'ci' })
  for (const call of [signedBy(await makeAccount(callers)), withKey(key)])
    assert.equal(await reasonOf(callers, call), 'store_unavailable')
})
