import assert from 'node:assert/strict'
import { test } from 'node:test'
import { postgresFailure } from './postgres-failure.ts'

const cases = [
  [{ code: '53300', message: 'sorry, too many clients already' }, 'unavailable', /too many connections/],
  [{ code: '57P03', message: 'the database system is starting up' }, 'unavailable', /starting or stopping/],
  [{ message: 'timeout exceeded when trying to connect' }, 'unavailable', /has no free connection/],
  [{ message: 'Connection terminated due to connection timeout' }, 'unavailable', /does not answer in time/],
  [{ code: 'SELF_SIGNED_CERT_IN_CHAIN', message: 'self-signed certificate' }, 'misconfigured', /sslrootcert/],
  [{ code: 'CERT_HAS_EXPIRED', message: 'certificate has expired' }, 'misconfigured', /expired/],
  [{ code: '42501', message: 'permission denied for database' }, 'misconfigured', /grant it the right/],
  [{ code: 'XX999', message: 'something new' }, 'unavailable', /cannot be used \(something new\)/],
] as const

for (const [error, code, message] of cases) {
  test(`"${error.message}" is ${code} and says what to do`, () => {
    const failure = postgresFailure(Object.assign(new Error(error.message), error), 'me@db:5432/postern')
    assert.equal(failure.code, code)
    assert.match(failure.message, message)
    assert.match(failure.message, /^Postgres at me@db:5432\/postern /)
  })
}
