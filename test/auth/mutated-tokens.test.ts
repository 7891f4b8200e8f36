import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { Failure } from '../../src/failure/failure.ts'
import { createLog } from '../../src/log/log.ts'
import { bearer, resource } from './call.ts'
import { openAuthenticator } from './local-authenticator.ts'
import { type LocalIssuer, startLocalIssuer } from './local-issuer.ts'

const issuers = await Promise.all(
  (['ES256', 'RS256', 'PS256', 'EdDSA'] as const).map((algorithm) =>
    startLocalIssuer({ audience: resource, algorithm }),
  ),
)
const authenticator = openAuthenticator({
  resource,
  issuers: issuers.map((issuer) => issuer.jwt()),
  log: createLog({ level: 'silent' }),
})

after(async () => {
  await authenticator.close()
  await Promise.all(issuers.map((issuer) => issuer.stop()))
})

/** Each takes a token and a number between 0 and 1, and hands back another text. */
const mutations: readonly ((token: string, at: number, letter: string) => string)[] = [
  (token, at, letter) => replaceAt(token, at, letter),
  (token, at) => token.slice(0, Math.floor(at * token.length)),
  (token, at) => token.slice(Math.ceil(at * token.length) || 1),
  (token, at, letter) => {
    const index = Math.floor(at * token.length)
    return `${token.slice(0, index)}${letter}${token.slice(index)}`
  },
  (token, at) => {
    const index = Math.floor(at * (token.length - 1))
    return `${token.slice(0, index)}${token[index + 1]}${token[index]}${token.slice(index + 2)}`
  },
  (token, at, letter) => replaceAt(replaceAt(token, at, letter), 1 - at, letter),
  (token, at, letter) => replaceAt(token, 1 - at / 100, letter),
  (token, at, letter) => token + letter.repeat(1 + Math.floor(at * 3)),
]

function replaceAt(token: string, at: number, letter: string): string {
  const index = Math.min(Math.floor(at * token.length), token.length - 1)
  return `${token.slice(0, index)}${letter}${token.slice(index + 1)}`
}

for (const issuer of issuers) {
  const { algorithm } = issuer.key()
  test(`a spoiled token with ${algorithm} is never accepted, with the good one remembered`, async () => {
    const good = issuer.token()
    await authenticator.authenticate(bearer(good))
    const spoiled = fc.sample(spoiledTokens(good), 3000).filter((token) => token !== good)
    assert.ok(spoiled.length > 2000)
    await Promise.all(spoiled.map((token) => assertRefused(issuer, token)))
    assert.ok(!(authenticator.authenticate(bearer(good)) instanceof Promise))
  })
}

function spoiledTokens(good: string): fc.Arbitrary<string> {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=~+/'
  return fc
    .tuple(
      fc.constantFrom(...mutations),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.constantFrom(...alphabet.split('')),
    )
    .map(([mutate, at, letter]) => mutate(good, at, letter))
}

async function assertRefused(issuer: LocalIssuer, token: string): Promise<void> {
  await assert.rejects(
    async () => authenticator.authenticate(bearer(token)),
    (failure) => failure instanceof Failure && failure.code === 'unauthenticated',
    `${issuer.key().algorithm}: ${token}`,
  )
}
