import assert from 'node:assert/strict'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { llamaInstall } from '../../src/config/llama-install.ts'
import { requireLibrary } from '../../src/engines/llama/library.ts'
import { workplace } from './call-postern.ts'

test('the command that installs what a GGUF file needs is the same wherever it is told', async () => {
  await using place = await workplace()
  const file = join(place.folder, 'postern.yaml')
  await rm(file)
  await place.call(['init', '--yes', '--engine', 'llama', '--model-file', './a.gguf'])
  const page = new URL('../../docs/configuration.md', import.meta.url)
  const message = messageOf(() => requireLibrary(() => assert.fail('it is not installed')))
  for (const text of [await readFile(file, 'utf8'), await readFile(page, 'utf8'), message]) {
    assert.ok(text.includes(llamaInstall), text.slice(0, 200))
    assert.doesNotMatch(text.replaceAll(llamaInstall, ''), /npm i(?:nstall)? \S*node-llama-cpp/)
  }
})

function messageOf(fails: () => void): string {
  try {
    fails()
  } catch (error) {
    if (error instanceof Error) return error.message
  }
  return assert.fail('nothing failed')
}
