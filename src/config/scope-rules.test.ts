import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scopeComplaint, scopePrefixComplaint } from './scope-rules.ts'

test('a scope is one word of printable ASCII without quotes and backslashes', () => {
  for (const scope of ['notes:read', 'https://scopes.example/a.b', '*', "it's"])
    assert.equal(scopeComplaint(scope), undefined)
  for (const scope of ['', 'a b', 'a"b', 'a\\b', 'ä'])
    assert.match(scopeComplaint(scope) ?? '', /one scope/, scope)
})

test('what scopes begin with is a URL without a slash at its end', () => {
  assert.equal(scopePrefixComplaint('https://scopes.example/auth'), undefined)
  assert.match(scopePrefixComplaint('scopes') ?? '', /absolute/)
  assert.match(scopePrefixComplaint('https://scopes.example/') ?? '', /slash/)
  assert.match(scopePrefixComplaint('https://scopes.example/a b') ?? '', /spaces/)
})
