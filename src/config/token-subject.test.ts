import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tokenSubjectComplaint } from './token-subject.ts'

test('a subject is given exactly, or by how it begins', () => {
  for (const text of ['system:serviceaccount:shop:worker', 'repo:acme/shop:*'])
    assert.equal(tokenSubjectComplaint(text), undefined)
})

test('a star elsewhere than at the end is refused, and so is a star alone', () => {
  for (const text of ['repo:*:main', '*:main', 'a**'])
    assert.match(tokenSubjectComplaint(text) ?? '', /one \*/)
  assert.match(tokenSubjectComplaint('*') ?? '', /everyone whom the issuer knows/)
})
