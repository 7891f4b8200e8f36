import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from 'typebox'
import { fixedSource } from '../../test/mcp/tool-server.ts'
import { recordingLog } from '../../test/serving/plain-server.ts'
import { compileScopes } from '../auth/scopes.ts'
import { defineTool } from './define-tool.ts'
import type { Tool } from './tool.ts'
import { type ConfiguredSource, createToolSet, type ToolSet } from './tool-set.ts'

function named(name: string, description = ''): Tool {
  return defineTool({ name, description, scopes: ['own'], input: Type.Object({}), run: () => '' })
}

function setOf(sources: readonly ConfiguredSource[]): {
  readonly set: ToolSet
  readonly warnings: () => string[]
} {
  const { log, lines } = recordingLog()
  const set = createToolSet({ sources, scopes: compileScopes({ includes: {} }), log })
  return { set, warnings: () => lines.map(({ tool, msg }) => `${String(tool)}: ${String(msg)}`) }
}

test('the configuration replaces the scopes of a tool, by name or for all', () => {
  const source = fixedSource('docs', [named('docs_read'), named('docs_write'), named('docs_list')])
  const { set } = setOf([{ source, scopes: { docs_write: ['w'], list: [], '*': ['all'] } }])
  assert.deepEqual(set.find('docs_write')?.needs, { allOf: ['w'], anyOf: [] })
  assert.deepEqual(set.find('docs_list')?.needs, { allOf: [], anyOf: [] })
  assert.deepEqual(set.find('docs_read')?.needs, { allOf: ['all'], anyOf: [] })
  assert.deepEqual(set.scopes(), ['all', 'w'])
})

test('without such an entry a tool keeps its own scopes', () => {
  const { set, warnings } = setOf([{ source: fixedSource('docs', [named('read')]) }])
  assert.deepEqual(set.find('read')?.needs, { allOf: ['own'], anyOf: [] })
  assert.deepEqual(warnings(), [])
})

test('an entry for a tool that is not there is warned of', () => {
  const { warnings } = setOf([{ source: fixedSource('docs', [named('read')]), scopes: { raed: ['x'] } }])
  assert.deepEqual(warnings(), [
    'raed: the configuration gives scopes to a tool that this source does not have',
  ])
})

test('of two tools with one name the first source wins, and the other is warned of', () => {
  const { set, warnings } = setOf([
    { source: fixedSource('a', [named('same', 'first')]) },
    { source: fixedSource('b', [named('same', 'second')]) },
  ])
  assert.equal(set.find('same')?.tool.listing.description, 'first')
  assert.deepEqual(warnings(), ['same: a tool is left out: another source has one of the same name'])
})

test('a tool with a name that clients refuse, or listed under another one, is left out', () => {
  const odd = { ...named('x'), name: 'two words' }
  const { set, warnings } = setOf([{ source: fixedSource('a', [odd, { ...named('x'), name: 'y' }]) }])
  assert.deepEqual([set.all(), warnings().length], [[], 2])
})

test('a change of a source is seen at once', () => {
  let tools: readonly Tool[] = []
  let changed = (): void => {}
  const source = {
    ...fixedSource('a', []),
    tools: () => tools,
    onChange: (listener: () => void) => {
      changed = listener
    },
  }
  const { set } = setOf([{ source }])
  assert.equal(set.find('new'), undefined)
  tools = [named('new')]
  changed()
  assert.equal(set.find('new')?.name, 'new')
  assert.deepEqual(set.scopes(), ['own'])
})
