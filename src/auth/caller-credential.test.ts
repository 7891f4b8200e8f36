import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callWith } from '../../test/auth/call.ts'
import { type CallerCredential, readCallerCredential } from './caller-credential.ts'

type Header = readonly [name: string, value: string]

const rules = { keyHeader: 'x-goog-api-key', keyInQuery: true }

function read(headers: readonly Header[], query = '', keyInQuery = true): CallerCredential {
  return readCallerCredential({ ...callWith(...headers), query }, { ...rules, keyInQuery })
}

const inHeader = { kind: 'key', key: 'k1', isInQuery: false }
const inQuery = { kind: 'key', key: 'k1', isInQuery: true }
const token = { kind: 'token', text: 't1', scheme: 'bearer', header: 'Bearer t1' }

const accepted: readonly (readonly [
  title: string,
  headers: readonly Header[],
  query: string,
  expected: object,
])[] = [
  ['a key in its header', [['x-goog-api-key', 'k1']], '', inHeader],
  ['a header in any case', [['X-Goog-API-Key', 'k1']], '', inHeader],
  ['a key in its header, with a harmless query', [['x-goog-api-key', 'k1']], '?alt=sse', inHeader],
  ['a key in the query', [], '?key=k1', inQuery],
  ['a key in a query without its mark', [], 'key=k1', inQuery],
  ['a key in the query, among others', [], '?alt=sse&key=k1&pageSize=2', inQuery],
  ['a name in the query that is spelled in another way', [], '?%6Bey=k1', inQuery],
  ['a key in the query that is spelled in another way', [], '?key=%6B1', inQuery],
  ['one key in header and query', [['x-goog-api-key', 'k1']], '?key=k1', inQuery],
  ['one key twice in the query', [], '?key=k1&key=k1', inQuery],
  [
    'one key in two headers',
    [
      ['x-goog-api-key', 'k1'],
      ['X-Goog-Api-Key', 'k1'],
    ],
    '',
    inHeader,
  ],
  [
    'one key in its header and as Bearer',
    [
      ['x-goog-api-key', 'k1'],
      ['Authorization', 'Bearer k1'],
    ],
    '',
    inHeader,
  ],
  ['one key in the query and as Bearer', [['Authorization', 'bearer  k1']], '?key=k1', inQuery],
  [
    'one key in all three',
    [
      ['x-goog-api-key', 'k1'],
      ['Authorization', 'Bearer k1'],
    ],
    '?key=k1',
    inQuery,
  ],
  ['a token', [['Authorization', 'Bearer t1']], '', token],
  [
    'a token, the scheme in any case',
    [['authorization', 'bEARER   t1']],
    '',
    { ...token, header: 'bEARER   t1' },
  ],
  [
    'one token in two headers',
    [
      ['Authorization', 'Bearer t1'],
      ['authorization', 'Bearer t1'],
    ],
    '',
    token,
  ],
  ['a bound token', [['Authorization', 'DPoP t1']], '', { ...token, scheme: 'dpop', header: 'DPoP t1' }],
  [
    'a token beside an empty key',
    [
      ['x-goog-api-key', ''],
      ['Authorization', 'Bearer t1'],
    ],
    '?key=',
    token,
  ],
  [
    'a key beside an empty Authorization',
    [
      ['x-goog-api-key', 'k1'],
      ['Authorization', ''],
    ],
    '',
    inHeader,
  ],
  [
    'a key beside the header of another vendor',
    [
      ['x-goog-api-key', 'k1'],
      ['x-acme-api-key', 'k2'],
    ],
    '',
    inHeader,
  ],
  [
    'a query in which nothing is a credential',
    [['x-goog-api-key', 'k1']],
    '?monkey=1&tokens=2&pageToken=3',
    inHeader,
  ],
]

for (const [title, headers, query, expected] of accepted) {
  test(`taken as one credential: ${title}`, () => {
    assert.deepEqual(read(headers, query), expected)
  })
}

const several = ['invalid-request', 'multiple_credentials'] as const
const nobody = ['unauthenticated', 'no_credential'] as const
const badToken = ['unauthenticated', 'token_invalid'] as const
const badKey = ['unauthenticated', 'api_key_invalid'] as const
const otherScheme = ['unauthenticated', 'token_type_unsupported'] as const
const long = 'x'.repeat(8193)

const refused: readonly (readonly [
  title: string,
  headers: readonly Header[],
  query: string,
  answer: readonly [code: string, reason: string],
])[] = [
  ['nothing', [], '', nobody],
  ['nothing but a query', [], '?alt=sse', nobody],
  ['an empty key', [['x-goog-api-key', '']], '', nobody],
  ['an empty key in the query', [], '?key=', nobody],
  ['an empty Authorization', [['Authorization', '']], '', nobody],
  ['a key in the header of another vendor', [['x-acme-api-key', 'k1']], '', nobody],
  ['a key in a parameter of another case', [], '?KEY=k1', nobody],
  [
    'two keys in headers',
    [
      ['x-goog-api-key', 'k1'],
      ['x-goog-api-key', 'k2'],
    ],
    '',
    several,
  ],
  ['two keys in the query', [], '?key=k1&key=k2', several],
  ['one key in the header, another in the query', [['x-goog-api-key', 'k1']], '?key=k2', several],
  ['one key in the header, another hidden in the query', [['x-goog-api-key', 'k1']], '?%6bey=k2', several],
  [
    'a key and a token',
    [
      ['x-goog-api-key', 'k1'],
      ['Authorization', 'Bearer t1'],
    ],
    '',
    several,
  ],
  [
    'a key and the same text under another scheme',
    [
      ['x-goog-api-key', 'k1'],
      ['Authorization', 'DPoP k1'],
    ],
    '',
    several,
  ],
  [
    'a key and a password',
    [
      ['x-goog-api-key', 'k1'],
      ['Authorization', 'Basic azE6'],
    ],
    '',
    several,
  ],
  [
    'a key that is the beginning of the token',
    [
      ['x-goog-api-key', 'k1'],
      ['Authorization', 'Bearer k12'],
    ],
    '',
    several,
  ],
  ['a key in the query and a token', [['Authorization', 'Bearer t1']], '?key=k1', several],
  [
    'two tokens',
    [
      ['Authorization', 'Bearer t1'],
      ['Authorization', 'Bearer t2'],
    ],
    '',
    several,
  ],
  [
    'one token under two schemes',
    [
      ['Authorization', 'Bearer t1'],
      ['Authorization', 'DPoP t1'],
    ],
    '',
    several,
  ],
  ['two tokens joined by a proxy', [['Authorization', 'Bearer t1, Bearer t2']], '', several],
  ['a token in the query', [], '?access_token=t1', badToken],
  ['a token in the query, in capitals', [], '?Access_Token=t1', badToken],
  ['a token in the query, its name spelled in another way', [], '?access%5Ftoken=t1', badToken],
  ['a token in the query beside a good key', [['x-goog-api-key', 'k1']], '?oauth_token=t1', badToken],
  ['a scheme without a token', [['Authorization', 'Bearer']], '', badToken],
  ['a scheme and a space', [['Authorization', 'Bearer ']], '', badToken],
  ['a token that is too long', [['Authorization', `Bearer ${long}`]], '', badToken],
  ['a key that is too long', [['x-goog-api-key', long]], '', badKey],
  ['a password', [['Authorization', 'Basic azE6']], '', otherScheme],
  ['a bare token', [['Authorization', 't1']], '', otherScheme],
  ['a tab behind the scheme', [['Authorization', 'Bearer\tt1']], '', otherScheme],
]

for (const [title, headers, query, [code, reason]] of refused) {
  test(`refused for ${reason}: ${title}`, () => {
    assert.throws(() => read(headers, query), { code, reason })
  })
}

test('with keys in the query switched off one is refused, even beside the same in its header', () => {
  const answer = { code: 'unauthenticated', reason: 'api_key_invalid', message: /send it as x-goog-api-key/ }
  assert.throws(() => read([], '?key=k1', false), answer)
  assert.throws(() => read([['x-goog-api-key', 'k1']], '?key=k1', false), answer)
  assert.deepEqual(read([['x-goog-api-key', 'k1']], '?alt=sse', false), inHeader)
})

test('no message holds a credential', () => {
  for (const [, headers, query] of refused) {
    try {
      read(headers, query)
    } catch (error) {
      assert.doesNotMatch(String(error), /k1|k2|t1|azE6|xxxx/)
    }
  }
})
