import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Surface, surfaceKey, surfaceUrl } from './server-url.ts'

const rows: readonly (readonly [server: string, surface: Surface, address: string])[] = [
  ['http://127.0.0.1:8080', 'mcp', 'http://127.0.0.1:8080/mcp'],
  ['http://127.0.0.1:8080/', 'api', 'http://127.0.0.1:8080/api'],
  ['https://postern.example/mcp', 'mcp', 'https://postern.example/mcp'],
  ['https://postern.example/mcp/', 'v1beta', 'https://postern.example/v1beta'],
  ['https://others.example/tools/?team=a', 'mcp', 'https://others.example/tools/?team=a'],
  ['https://others.example/tools/', 'mcp', 'https://others.example/tools/'],
]

for (const [server, surface, address] of rows)
  test(`the ${surface} of ${server} is ${address}`, () => {
    assert.equal(surfaceUrl(new URL(server), surface), address)
  })

test('tokens are kept under the address without a slash at the end', () => {
  assert.equal(surfaceKey(new URL('https://others.example/tools/'), 'mcp'), 'https://others.example/tools')
})
