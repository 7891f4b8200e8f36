import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { RevocationCheck } from '../../src/auth/revocations.ts'
import { Failure } from '../../src/failure/failure.ts'
import { createLog } from '../../src/log/log.ts'
import { bearer, resource } from './call.ts'
import { type LocalAuthenticator, openAuthenticator } from './local-authenticator.ts'
import { type LocalIssuer, startLocalIssuer } from './local-issuer.ts'

interface Setting {
  readonly issuer: LocalIssuer
  readonly authenticator: LocalAuthenticator
}

const ends: (() => Promise<void>)[] = []
after(() => Promise.all(ends.map((end) => end())))

test('a token that was revoked is refused, remembered or not, and so is none of the others', async () => {
  const revoked = new Set<string>()
  const { issuer, authenticator } = await revocable(({ credential }) => revoked.has(credential.id))
  const [token, other] = [issuer.token(), issuer.token()]
  const { credential } = await authenticator.authenticate(bearer(token))
  revoked.add(credential.id)
  assert.throws(() => authenticator.authenticate(bearer(token)), { message: 'the access token was revoked' })
  await authenticator.authenticate(bearer(other))
  const fresh = await revocable(() => true)
  await assertRefused(fresh.authenticator, fresh.issuer.token())
})

test('a token that was revoked stays so with another good signature, which anybody can make of an ECDSA one', async () => {
  const revoked = new Set<string>()
  const { issuer, authenticator } = await revocable(({ credential }) => revoked.has(credential.id))
  const token = issuer.token()
  const bent = withOtherSignature(token)
  assert.equal((await authenticator.authenticate(bearer(bent))).subject, 'alice')
  revoked.add((await authenticator.authenticate(bearer(token))).credential.id)
  await assertRefused(authenticator, bent)
})

test('a token waits for the list of revoked ones, and gets no verdict without it', async () => {
  const { issuer, authenticator } = await revocable(async () => true)
  await assertRefused(authenticator, issuer.token())
  const good = await revocable(async () => false)
  assert.equal((await good.authenticator.authenticate(bearer(good.issuer.token()))).subject, 'alice')
  const unknown = await revocable(() => {
    throw new Failure('unavailable', 'nobody can say')
  })
  await assert.rejects(async () => unknown.authenticator.authenticate(bearer(unknown.issuer.token())), {
    code: 'unavailable',
  })
})

async function revocable(isRevoked: RevocationCheck): Promise<Setting> {
  const issuer = await startLocalIssuer({ audience: resource })
  const log = createLog({ level: 'silent' })
  const authenticator = openAuthenticator({ resource, issuers: [issuer.jwt()], log, isRevoked })
  ends.push(authenticator.close, issuer.stop)
  return { issuer, authenticator }
}

/** (r, s) and (r, n - s) sign the same. */
function withOtherSignature(token: string): string {
  const end = token.lastIndexOf('.') + 1
  const signature = Buffer.from(token.slice(end), 'base64url')
  const order = BigInt('0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551')
  const s = order - BigInt(`0x${signature.toString('hex', 32)}`)
  const bent = Buffer.concat([
    signature.subarray(0, 32),
    Buffer.from(s.toString(16).padStart(64, '0'), 'hex'),
  ])
  return token.slice(0, end) + bent.toString('base64url')
}

async function assertRefused(authenticator: LocalAuthenticator, token: string): Promise<void> {
  await assert.rejects(async () => authenticator.authenticate(bearer(token)), {
    code: 'unauthenticated',
    reason: 'invalid_token',
    message: 'the access token was revoked',
  })
}
