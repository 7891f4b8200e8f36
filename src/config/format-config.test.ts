import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatConfig } from './format-config.ts'
import { parseConfig } from './parse-config.ts'

test('what is printed is complete, masked, and a configuration again', () => {
  const source = { file: 'postern.yaml', env: {} }
  const text = formatConfig(parseConfig('store: postgres://me:hidden-word@db/postern', source))
  assert.doesNotMatch(text, /hidden-word/)
  assert.match(text, /^ {2}port: 8080$/m)
  assert.equal(parseConfig(text, source).server.port, 8080)
})
