import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchesName } from './name-pattern.ts'

for (const [pattern, matching, others] of [
  ['tiny', ['tiny'], ['tin', 'tiny2', 'Tiny', '']],
  ['*', ['', 'anything', '*'], []],
  ['gemini-*', ['gemini-', 'gemini-2.5-pro'], ['gemini', 'my-gemini-1']],
  ['*-flash', ['-flash', 'gemini-2.5-flash'], ['flash', 'gemini-2.5-flash-lite']],
  ['gemini-*-pro', ['gemini-3-pro', 'gemini--pro'], ['gemini-pro', 'gemini-3-pro-preview']],
  ['a*b*c', ['abc', 'a-b-b-c', 'abcbc'], ['ab', 'acb', 'ac']],
  ['a*a', ['aa', 'aba'], ['a']],
  ['**', ['', 'x'], []],
  ['a.c', ['a.c'], ['abc']],
] as const) {
  test(`${pattern} stands for ${matching.join(', ')} and not for ${others.join(', ')}`, () => {
    for (const name of matching) assert.equal(matchesName(pattern, name), true, name)
    for (const name of others) assert.equal(matchesName(pattern, name), false, name)
  })
}

test('a pattern of many wildcards is answered in no time', () => {
  const start = process.cpuUsage()
  assert.equal(matchesName(`${'a*'.repeat(60)}b`, 'a'.repeat(10_000)), false)
  assert.ok(process.cpuUsage(start).user < 50_000)
})
