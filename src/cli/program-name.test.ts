import assert from 'node:assert/strict'
import { test } from 'node:test'
import { programName } from './program-name.ts'

test('the program is called as it was called: through npx, or by its name', () => {
  assert.equal(programName({ env: {} }), 'postern')
  assert.equal(programName({ env: { npm_command: 'run', npm_lifecycle_event: 'start' } }), 'postern')
  assert.equal(programName({ env: { npm_command: 'exec', npm_lifecycle_event: 'npx' } }), 'npx postern')
})
