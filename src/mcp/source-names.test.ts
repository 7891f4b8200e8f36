import assert from 'node:assert/strict'
import { test } from 'node:test'
import { prefixedTools } from './source-names.ts'

function names(...given: readonly string[]): readonly [readonly string[], readonly string[]] {
  const { named, refused } = prefixedTools('src', given, (name) => name)
  return [named.map(({ name }) => name), refused]
}

test('names get the prefix of their source, and keep what a name may hold', () => {
  assert.deepEqual(names('a', 'A_b.c-9'), [['src_a', 'src_A_b.c-9'], []])
})

test('what a name must not hold becomes one underscore', () => {
  assert.deepEqual(names('repos/list for-user', 'é'), [['src_repos_list_for-user', 'src__'], []])
})

test('of names that collide none is taken', () => {
  assert.deepEqual(names('a/b', 'a b', 'c'), [['src_c'], ['src_a_b']])
})

test('a name fits into 128 characters with its prefix, or is refused', () => {
  assert.deepEqual(names('x'.repeat(124))[1], [])
  assert.deepEqual(names('x'.repeat(125)), [[], [`src_${'x'.repeat(125)}`]])
})
