import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileScopes, type ScopeNeed } from './scopes.ts'

const none: ScopeNeed = { allOf: [], anyOf: [] }
const { isSatisfied, challengeScopes } = compileScopes({
  includes: {
    'notes:write': ['notes:read'],
    'notes:admin': ['notes:write', 'notes:*'],
    staff: ['notes:admin', 'circle:a'],
    'circle:a': ['circle:b'],
    'circle:b': ['circle:a'],
  },
})

const rows: readonly [held: string, need: Partial<ScopeNeed>, isEnough: boolean][] = [
  ['', {}, true],
  ['notes:read', { allOf: ['notes:read'] }, true],
  ['', { allOf: ['notes:read'] }, false],
  ['notes:read', { allOf: ['notes:read', 'notes:write'] }, false],
  ['notes:read notes:write', { allOf: ['notes:read', 'notes:write'] }, true],
  ['notes:read', { anyOf: ['notes:read', 'notes:write'] }, true],
  ['other', { anyOf: ['notes:read', 'notes:write'] }, false],
  ['a notes:read', { allOf: ['a'], anyOf: ['notes:read', 'b'] }, true],
  ['a', { allOf: ['a'], anyOf: ['notes:read', 'b'] }, false],
  ['notes:read', { allOf: ['a'], anyOf: ['notes:read', 'b'] }, false],
  ['notes:write', { allOf: ['notes:read'] }, true],
  ['notes:read', { allOf: ['notes:write'] }, false],
  ['notes:admin', { allOf: ['notes:read', 'notes:delete'] }, true],
  ['staff', { allOf: ['notes:read', 'notes:anything:deep', 'circle:b'] }, true],
  ['circle:b', { allOf: ['circle:a'] }, true],
  ['circle:b', { allOf: ['notes:read'] }, false],
  ['notes:*', { allOf: ['notes:read', 'notes:a:b', 'notes:a:*'] }, true],
  ['notes:*', { allOf: ['notes'] }, false],
  ['notes:*', { allOf: ['notesx:read'] }, false],
  ['notes:a:*', { allOf: ['notes:b'] }, false],
  ['notes:a:*', { allOf: ['notes:a:b'] }, true],
  ['*', { allOf: ['notes:read'] }, false],
  [':*', { allOf: ['notes:read'] }, false],
  ['notes:rea', { allOf: ['notes:read'] }, false],
  ['NOTES:READ', { allOf: ['notes:read'] }, false],
  ['notes:read', { allOf: ['notes:*'] }, false],
  ['notes:read', { allOf: ['__proto__'] }, false],
  ['notes:read', { allOf: ['constructor'] }, false],
]

for (const [held, need, isEnough] of rows) {
  test(`"${held}" ${isEnough ? 'is enough' : 'is not enough'} for ${JSON.stringify(need)}`, () => {
    const scopes = new Set(held.split(' ').filter((scope) => scope !== ''))
    assert.equal(isSatisfied(scopes, { ...none, ...need }), isEnough)
    assert.equal(isSatisfied(scopes, { ...none, ...need }), isEnough)
  })
}

test('a challenge asks for all that a call needs at once, and for one of the alternatives', () => {
  assert.deepEqual(challengeScopes({ allOf: ['a', 'b', 'a'], anyOf: ['c', 'd'] }), ['a', 'b', 'c'])
})

test('a challenge asks for no alternative that it has asked for already', () => {
  assert.deepEqual(challengeScopes({ allOf: ['notes:write'], anyOf: ['x', 'notes:read'] }), ['notes:write'])
})

test('a challenge never asks for offline_access', () => {
  assert.deepEqual(challengeScopes({ allOf: ['offline_access', 'a'], anyOf: [] }), ['a'])
  assert.deepEqual(challengeScopes(none), [])
})
