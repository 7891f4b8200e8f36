import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fragmentRefusal } from './request-target.ts'

for (const target of ['/a#', '/a#/b', '/?a#b', '#', 'http://a/#b'])
  test(`the target ${target} has a fragment`, () => {
    const refused = fragmentRefusal(target)
    assert.equal(refused?.code, 'invalid-request')
    assert.match(refused.message, /must not contain #; in a name write it as %23/)
  })

for (const target of ['', '/', '/a%23b', '/a?b=%23'])
  test(`the target "${target}" has none`, () => {
    assert.equal(fragmentRefusal(target), undefined)
  })
