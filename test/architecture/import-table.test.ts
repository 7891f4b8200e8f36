import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { importTable, processModules } from './import-table.ts'

const names = importTable.map(({ name }) => name)

test('a part may import only parts above it', () => {
  for (const [row, part] of importTable.entries())
    for (const other of part.parts) assert.ok(names.slice(0, row).includes(other), `${part.name} → ${other}`)
})

test('the surfaces never import each other', () => {
  const surfaces = ['mcp', 'model-api', 'admin']
  for (const part of importTable.filter(({ name }) => surfaces.includes(name)))
    assert.deepEqual(
      part.parts.filter((other) => surfaces.includes(other)),
      [],
    )
})

test('the two programs share the ground and the store, and neither imports the other', () => {
  const authority = importTable.find(({ name }) => name === 'authority')
  const gateway = importTable.find(({ name }) => name === 'gateway')
  assert.deepEqual(authority?.parts, ['failure', 'log', 'config', 'outbound', 'intake', 'store'])
  assert.equal(gateway?.parts.includes('authority'), false)
})

test('the process, child processes and clusters are for cli alone', () => {
  for (const { name, builtins } of importTable) {
    if (builtins === 'any') assert.equal(name, 'cli')
    else
      assert.deepEqual(
        builtins.filter((module) => processModules.includes(module)),
        [],
      )
  }
})

test('every package that is installed for users has a home in the table', () => {
  const manifest: { dependencies: Record<string, string> } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  )
  const homes = new Set(importTable.flatMap(({ packages }) => packages))
  assert.deepEqual(
    Object.keys(manifest.dependencies).filter((name) => !homes.has(name)),
    [],
  )
})
