import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { AuthRequest } from '../../src/auth/authenticator.ts'
import { Failure } from '../../src/failure/failure.ts'
import { createLog } from '../../src/log/log.ts'
import { bearer, resource } from './call.ts'
import { hostileCalls } from './hostile-tokens.ts'
import { type LocalAuthenticator, openAuthenticator } from './local-authenticator.ts'
import { startLocalIssuer } from './local-issuer.ts'

const issuer = await startLocalIssuer({ audience: resource })
const rsaIssuer = await startLocalIssuer({ audience: resource, algorithm: 'RS256' })
const sibling = await startLocalIssuer({ audience: resource })
const asked = await startLocalIssuer({ audience: resource })
const log = createLog({ level: 'silent' })
const byKeys = [issuer.jwt(), rsaIssuer.jwt()]
const setups: readonly (readonly [name: string, authenticator: LocalAuthenticator])[] = [
  ['keys', openAuthenticator({ resource, issuers: byKeys, log })],
  [
    'keys and introspection',
    openAuthenticator({ resource, issuers: [...byKeys, asked.introspecting()], log }),
  ],
]
const calls = hostileCalls({ issuer, rsaIssuer, sibling })

const outcomes = await Promise.all(
  setups.map(async ([name, authenticator]) => {
    await authenticator.authenticate(bearer(issuer.token()))
    await authenticator.authenticate(bearer(rsaIssuer.token()))
    return { name, verdicts: await Promise.all(calls.map(([, call]) => verdictOf(authenticator, call))) }
  }),
)

after(async () => {
  await Promise.all(setups.map(([, authenticator]) => authenticator.close()))
  await Promise.all([issuer, rsaIssuer, sibling, asked].map((one) => one.stop()))
})

for (const { name, verdicts } of outcomes) {
  for (const [index, [title, call]] of calls.entries()) {
    test(`with ${name}, refused as unauthenticated: ${title}`, () => {
      const verdict = verdicts[index]
      assert.ok(verdict instanceof Failure, String(verdict))
      assert.equal(verdict.code, 'unauthenticated', verdict.message)
      assert.match(String(verdict.reason), /^(?:missing_token|invalid_token|invalid_request)$/)
      for (const part of longParts(call))
        assert.ok(!verdict.message.includes(part), 'a message holds no token')
    })
  }
}

test('there are at least 150 hostile calls, no two the same', () => {
  assert.ok(calls.length >= 150)
  assert.equal(new Set(calls.map(([title]) => title)).size, calls.length)
})

test('no hostile token makes us ask an issuer that is not configured', () => {
  assert.equal(sibling.count(), 0)
})

async function verdictOf(authenticator: LocalAuthenticator, call: AuthRequest): Promise<unknown> {
  try {
    return await authenticator.authenticate(call)
  } catch (failure) {
    return failure
  }
}

function longParts(call: AuthRequest): readonly string[] {
  return (call.headers.authorization ?? '').split(/[. ]/).filter((part) => part.length > 12)
}
