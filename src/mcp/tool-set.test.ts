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

function remote(name: string, tools: readonly Tool[]): ConfiguredSource['source'] {
  return { ...fixedSource(name, tools), isRemote: true }
}

function open(name: string, description = ''): Tool {
  return defineTool({ name, description, scopes: [], input: Type.Object({}), run: () => '' })
}

test('a tool of a remote source yields its name to one of ours, in whatever order the sources stand', () => {
  const far = { source: remote('docs', [open('docs_find', 'far')]), scopes: { '*': [] } }
  const near = { source: fixedSource('./tools.ts', [named('docs_find', 'near')]) }
  for (const sources of [
    [far, near],
    [near, far],
  ]) {
    const { set, warnings } = setOf(sources)
    assert.equal(set.find('docs_find')?.tool.listing.description, 'near')
    assert.deepEqual(warnings(), ['docs_find: a tool is left out: another source has one of the same name'])
  }
})

test('a tool of a remote source is served only if somebody says which scopes it needs', () => {
  const tools = [open('docs_read'), open('docs_write'), open('docs_any'), named('docs_own')]
  const { log, lines } = recordingLog()
  const sources = [{ source: remote('docs', tools), scopes: { read: ['r'], any: [] } }]
  const set = createToolSet({ sources, scopes: compileScopes({ includes: {} }), log })
  assert.deepEqual(
    set.all().map(({ name }) => name),
    ['docs_any', 'docs_own', 'docs_read'],
  )
  assert.deepEqual([lines.length, lines[0]?.tools, lines[0]?.count], [1, ['docs_write'], 1])
  assert.match(String(lines[0]?.msg), /nobody says which scopes they need/)
})

test('"*" gives every tool of a remote source its scopes, and an empty list says that any valid token will do', () => {
  const { set, warnings } = setOf([{ source: remote('docs', [open('docs_a')]), scopes: { '*': [] } }])
  assert.deepEqual([set.find('docs_a')?.needs, warnings()], [{ allOf: [], anyOf: [] }, []])
})

test('a tool of our own may declare that it needs no scope', () => {
  const { set } = setOf([{ source: fixedSource('builtin', [open('echo')]) }])
  assert.equal(set.find('echo')?.name, 'echo')
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
