import assert from 'node:assert/strict'
import { test } from 'node:test'
import { base64url } from '../../test/auth/local-key.ts'
import { parseCompactJwt } from './compact-jwt.ts'

const [head, body] = [base64url({ alg: 'ES256' }), base64url({ sub: 'alice' })]

test('a signed JWT is read without a look at its signature', () => {
  assert.deepEqual(parseCompactJwt(`${head}.${body}.AQID`), {
    header: { alg: 'ES256' },
    claims: { sub: 'alice' },
  })
})

const others: readonly string[] = [
  '',
  'opaque',
  `${head}.${body}`,
  `${head}.${body}.`,
  `.${body}.AQID`,
  `${head}..AQID`,
  `${head}.${body}.AQID.`,
  `${head}.${body}.AQID.AQID.AQID`,
  `${head}.${body}.AQI=`,
  `${head}.${body}.A+/D`,
  `${head}.${body}.AR`,
  `${head}.${body}.A`,
  `${head}.${body}.AQ ID`,
  `${head}=.${body}.AQID`,
  `${head}.${base64url('[]')}.AQID`,
  `${head}.${base64url('{"a":1,"a":2}')}.AQID`,
  `${base64url('{"alg":"ES256","alg":"none"}')}.${body}.AQID`,
]

for (const text of others) {
  test(`"${text}" is not a signed JWT in its one spelling`, () => {
    assert.equal(parseCompactJwt(text), undefined)
  })
}
