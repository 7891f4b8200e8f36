import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { serverInfo } from './server-info.ts'

test('the server tells the version of its package', () => {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  assert.deepEqual(serverInfo, { name: manifest.name, version: manifest.version })
})
