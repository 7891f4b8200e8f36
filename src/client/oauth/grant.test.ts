import assert from 'node:assert/strict'
import { test } from 'node:test'
import { grantOf, isDue, isExpired } from './grant.ts'

const request = {
  resource: 'https://a.example/mcp',
  audience: 'https://a.example/mcp',
  issuer: 'https://issuer.example',
  clientId: 'client',
  scopes: ['asked'],
  now: 1_000_000,
} as const

test('a grant says what was granted, until when, and keeps the refresh token where no new one comes', () => {
  const answer = { access_token: 'access', token_type: 'bearer', expires_in: 60, scope: 'a b' } as const
  const { now, ...rest } = request
  assert.deepEqual(grantOf(answer, { ...request, refreshToken: 'old' }), {
    ...rest,
    accessToken: 'access',
    refreshToken: 'old',
    scopes: ['a', 'b'],
    savedAt: now,
    expiresAt: now + 60_000,
  })
  assert.equal(grantOf({ ...answer, refresh_token: 'new' }, request).refreshToken, 'new')
})

test('without a scope in the answer, what was asked for was granted; with an empty one, nothing', () => {
  const answer = { access_token: 'access', token_type: 'bearer' } as const
  assert.deepEqual(grantOf(answer, request).scopes, ['asked'])
  assert.deepEqual(grantOf({ ...answer, scope: '' }, request).scopes, [])
})

for (const [lifeSeconds, dueAfterSeconds] of [
  [3600, 3540],
  [300, 240],
  [100, 80],
  [10, 8],
  [0, 0],
] as const)
  test(`a token of ${lifeSeconds} seconds is due after ${dueAfterSeconds}`, () => {
    const expiresAt = request.now + lifeSeconds * 1000
    const grant = { ...grantOf({ access_token: 'a', token_type: 'bearer' }, request), expiresAt }
    const due = request.now + dueAfterSeconds * 1000
    assert.deepEqual([isDue(grant, due - 1), isDue(grant, due)], [false, true])
    assert.deepEqual([isExpired(grant, expiresAt - 1), isExpired(grant, expiresAt)], [false, true])
  })

test('a token without an end is never due', () => {
  const grant = grantOf({ access_token: 'a', token_type: 'bearer' }, request)
  assert.deepEqual([isDue(grant, Number.MAX_VALUE), isExpired(grant, Number.MAX_VALUE)], [false, false])
})

test('a token that is good for longer than clocks can tell still has a time that can be shown', () => {
  const answer = { access_token: 'access', token_type: 'bearer', expires_in: 9e12 } as const
  const { expiresAt = 0 } = grantOf(answer, request)
  assert.match(new Date(expiresAt).toISOString(), /^\+275760-/)
})
