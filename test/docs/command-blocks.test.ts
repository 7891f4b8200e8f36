import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { allPages, blocksOf, commandBlocks, missingCommands, readPage } from './command-blocks.ts'
import { checkout, startScript } from './shell-place.ts'
import { typedPages } from './typed-pages.ts'

/** Pages whose commands a test of another part types. */
const elsewhere: Readonly<Record<string, { readonly blocks: number; readonly test: string }>> = {
  'docs/models.md': { blocks: 4, test: 'test/model-api/models-page.test.ts' },
}

test('every block of commands on every page is typed by a test, or says why not', () => {
  const found = Object.fromEntries(
    allPages().flatMap((page) => {
      const blocks = commandBlocks(page)
      const leftOut = blocks.filter((block) => block.leftOut !== undefined).length
      if (blocks.length === 0) return []
      const counts = { typed: blocks.length - leftOut, leftOut }
      return [[page, page in elsewhere ? { blocks: blocks.length } : counts]]
    }),
  )
  const others = Object.entries(elsewhere).map(([page, { blocks }]) => [page, { blocks }])
  assert.deepEqual(found, Object.fromEntries([...others, ...Object.entries(typedPages)]))
})

test('the tests that type the commands of other pages are there', () => {
  for (const { test: file } of Object.values(elsewhere)) assert.ok(existsSync(join(checkout, file)), file)
})

test('commands stand in blocks that are found: fences of sh, not indented, closed', () => {
  for (const page of allPages()) {
    const fences = readPage(page).match(/^[ \t]*```.*$/gm) ?? []
    assert.equal(fences.length % 2, 0, page)
    const opening = fences.filter((_, index) => index % 2 === 0)
    for (const fence of opening) {
      assert.doesNotMatch(fence, /```(?:bash|shell|console|zsh)/, page)
      assert.doesNotMatch(fence, /^\s+```sh/, page)
    }
  }
})

test('every command of ours that a page calls exists', () => {
  const missing = allPages().flatMap((page) => commandBlocks(page).flatMap(missingCommands))
  assert.deepEqual(missing, [])
})

test('npm start runs what the tests type in its place', async () => {
  assert.equal(await startScript(), 'node bin/postern.js dev')
})

test('every configuration and every JSON of the pages can be read', () => {
  for (const page of Object.keys(typedPages))
    for (const text of blocksOf(page, 'json')) assert.doesNotThrow(() => JSON.parse(text), page)
})
