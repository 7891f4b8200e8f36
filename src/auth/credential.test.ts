import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callWith } from '../../test/auth/call.ts'
import { Failure } from '../failure/failure.ts'
import { readCredential } from './credential.ts'

test('the scheme is Bearer or DPoP in any case, and spaces before the token do not matter', () => {
  for (const [value, scheme] of [
    ['Bearer abc', 'bearer'],
    ['bearer abc', 'bearer'],
    ['BEARER   abc', 'bearer'],
    ['DPoP abc', 'dpop'],
    ['dpop abc', 'dpop'],
  ] as const) {
    assert.deepEqual(readCredential(callWith(['Authorization', value])), { scheme, token: 'abc' })
  }
})

const refusals: readonly [
  title: string,
  headers: readonly [string, string][],
  query: string,
  reason: string,
][] = [
  ['no header at all', [], '', 'missing_token'],
  ['an empty header', [['Authorization', '']], '', 'missing_token'],
  ['Basic', [['Authorization', 'Basic YTpi']], '', 'missing_token'],
  ['a scheme that only begins like Bearer', [['Authorization', 'Bearers abc']], '', 'missing_token'],
  ['a bare token', [['Authorization', 'abc']], '', 'missing_token'],
  ['a tab for a space', [['Authorization', 'Bearer\tabc']], '', 'missing_token'],
  ['a scheme without a token', [['Authorization', 'Bearer']], '', 'invalid_token'],
  ['a scheme and only spaces', [['Authorization', 'Bearer   ']], '', 'invalid_token'],
  ['a token too long', [['Authorization', `Bearer ${'a'.repeat(8193)}`]], '', 'invalid_token'],
  ['two credentials in one header', [['Authorization', 'Bearer a, Bearer b']], '', 'invalid_request'],
  [
    'two Authorization headers',
    [
      ['Authorization', 'Bearer a'],
      ['authorization', 'Bearer a'],
    ],
    '',
    'invalid_request',
  ],
  [
    'an API key beside the token',
    [
      ['Authorization', 'Bearer a'],
      ['X-Goog-Api-Key', 'k'],
    ],
    '',
    'invalid_request',
  ],
  [
    'another API key beside the token',
    [
      ['x-api-key', 'k'],
      ['Authorization', 'Bearer a'],
    ],
    '',
    'invalid_request',
  ],
  ['a token in the query', [], '?access_token=a', 'invalid_request'],
  ['a token in header and query', [['Authorization', 'Bearer a']], 'x=1&access_token=a', 'invalid_request'],
  ['a token in the query, encoded', [['Authorization', 'Bearer a']], 'access%5Ftoken=a', 'invalid_request'],
  ['an empty token in the query', [['Authorization', 'Bearer a']], 'access_token', 'invalid_request'],
  [
    'a token in the query in upper case',
    [['Authorization', 'Bearer a']],
    'ACCESS_TOKEN=a',
    'invalid_request',
  ],
]

for (const [title, headers, query, reason] of refusals) {
  test(`${title} is refused as ${reason}`, () => {
    assert.throws(
      () => readCredential({ ...callWith(...headers), query }),
      (error) => error instanceof Failure && error.code === 'unauthenticated' && error.reason === reason,
    )
  })
}

test('another query does not matter', () => {
  const call = { ...callWith(['Authorization', 'Bearer a']), query: '?page=access_token' }
  assert.equal(readCredential(call).token, 'a')
})
