import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSeal } from './sealed.ts'

const seal = createSeal('the first secret, long enough for this')

test('what is sealed opens with the same secret under the same name', () => {
  const sealed = seal.close('a private key', 'key one')
  assert.equal(sealed.includes('private'), false)
  assert.equal(createSeal('the first secret, long enough for this').open(sealed, 'key one'), 'a private key')
})

test('no two seals of one text are alike', () => {
  assert.notEqual(seal.close('text', 'name'), seal.close('text', 'name'))
})

for (const [what, open] of Object.entries({
  'another secret': (sealed: string) => createSeal('another secret, also long enough').open(sealed, 'name'),
  'another name': (sealed: string) => seal.open(sealed, 'other'),
  'a changed text': (sealed: string) => seal.open(`${sealed.slice(0, -2)}AA`, 'name'),
  'a cut text': (sealed: string) => seal.open(sealed.slice(0, 20), 'name'),
})) {
  test(`with ${what} it does not open, and the failure names the setting`, () => {
    assert.throws(() => open(seal.close('some text that is sealed', 'name')), {
      code: 'misconfigured',
      field: 'authority.secret',
    })
  })
}

test('what a newer version sealed is told from a wrong secret', () => {
  const newer = seal.close('text', 'name').replace(/^v1/, 'v2')
  assert.throws(() => seal.open(newer, 'name'), { code: 'misconfigured', message: /newer Postern/ })
})
