import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createResources } from '../../src/authority/resources.ts'
import { ownerOfScope } from '../../src/config/own-scopes.ts'
import { parseConfig } from '../../src/config/parse-config.ts'

test('the configuration knows every scope that the authority has by itself, and whose it is', () => {
  const config = parseConfig('', { file: 'defaults', env: {} })
  const known = createResources(config).all.flatMap(({ surface, scopes }) =>
    scopes.map(({ name }) => [name, surface]),
  )
  assert.ok(known.length > 0)
  assert.deepEqual(
    known.map(([name = '']) => [name, ownerOfScope(name, config.scopeBase)]),
    known,
  )
})
