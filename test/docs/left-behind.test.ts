import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { allPages, commandBlocks } from './command-blocks.ts'
import { checkout } from './shell-place.ts'

const run = promisify(execFile)

/** Files that a command writes without naming them, as the pages say. */
const unnamed = ['robot.json', 'operator.json', '.gemini/settings.json', 'backup/postern.db', 'deploy/.env']

test('git ignores every file that following the pages leaves in the checkout', async () => {
  const written = allPages()
    // It has a folder of its own.
    .filter((page) => page !== 'docs/write-a-tool.md')
    .flatMap((page) => commandBlocks(page))
    .flatMap(({ text }) =>
      Array.from(text.matchAll(/> (\w*[\w.-]+)(?: <<|\n|$| )/g), ([, name = '']) => name),
    )
  assert.ok(written.includes('.env') && written.includes('story.mjs'), written.join(' '))
  const folder = await mkdtemp(join(tmpdir(), 'postern-ignored-'))
  try {
    await run('git', ['init', '--quiet'], { cwd: folder })
    await cp(join(checkout, '.gitignore'), join(folder, '.gitignore'))
    const names = [...new Set([...written, ...unnamed])]
    const { stdout } = await run('git', ['check-ignore', '--no-index', ...names], { cwd: folder })
    assert.deepEqual(stdout.trim().split('\n').toSorted(), names.toSorted())
  } finally {
    await rm(folder, { recursive: true })
  }
})
