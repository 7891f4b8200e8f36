import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canonicalResource } from './resource-identifier.ts'

const ours = 'https://tools.example:8443/mcp'

test('upper-case scheme and host and one trailing slash are the same resource', () => {
  for (const text of [
    ours,
    `${ours}/`,
    'HTTPS://TOOLS.example:8443/mcp',
    'Https://Tools.Example:8443/mcp/',
  ]) {
    assert.equal(canonicalResource(text), ours)
  }
  assert.equal(canonicalResource('https://Tools.example/'), 'https://tools.example')
})

const others: readonly string[] = [
  `${ours}//`,
  'https://tools.example:8443/MCP',
  'https://tools.example/mcp',
  'http://tools.example:8443/mcp',
  'https://tools.example:8443/mcp?a',
  'https://tools.example:8443/mcp#',
  'https://tools.example:8443/x/../mcp',
  'https://tools.example:8443/%6dcp',
  'https://tools.example.:8443/mcp',
  'https://user@tools.example:8443/mcp',
  'https://tools.example:08443/mcp',
  ` ${ours}`,
  `${ours} `,
  `${ours}\n`,
  'https:/tools.example:8443/mcp',
  'tools.example:8443/mcp',
  '*',
  '',
]

for (const text of others) {
  test(`${JSON.stringify(text)} is another resource`, () => {
    assert.notEqual(canonicalResource(text), ours)
  })
}

test('a letter that only folds to an ASCII one is another host', () => {
  assert.notEqual(canonicalResource('https://\u212Aeys.example/mcp'), 'https://keys.example/mcp')
})
