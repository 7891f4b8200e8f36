import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../failure/failure.ts'
import { createLog } from '../log/log.ts'
import { connect } from './connect.ts'

for (const url of [
  'mysql://root:hunter22@db/x',
  './hunter22.db',
  '',
  'postgres:hunter22',
  'POSTGRES//hunter22',
]) {
  test(`an address that is neither engine is refused without being repeated: ${url}`, async () => {
    await assert.rejects(connect(url, { log: createLog({ level: 'silent' }) }), (error) => {
      assert(error instanceof Failure)
      assert.equal(error.code, 'misconfigured')
      assert.match(error.message, /write sqlite:.+ or postgres:/)
      assert.doesNotMatch(error.message, /hunter22/)
      return true
    })
  })
}
