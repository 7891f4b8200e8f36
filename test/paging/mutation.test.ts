import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { type Mutation, mutations } from './mutations.ts'

const root = join(import.meta.dirname, '../..')

/** What a copy needs: the code, its tests, and what these stand on. */
const copied = [
  'package.json',
  'src/failure',
  'src/paging',
  'test/paging/event-list.ts',
  'test/paging/link-header.ts',
] as const

describe('the tests notice when the code is broken', { concurrency: 2 }, () => {
  test('and only then', async () => {
    const everyTest = [...new Set(mutations.flatMap(({ tests }) => tests))]
    const { passed, failed, output } = await runCopy(everyTest)
    assert.ok(passed > 100 && failed === 0, output)
  })

  for (const mutation of mutations)
    test(mutation.name, async () => {
      const { passed, failed, output } = await runCopy(mutation.tests, mutation)
      assert.ok(passed > 0, `the copy does not even load:\n${output}`)
      assert.ok(failed > 0, `nobody noticed:\n${output}`)
    })
})

interface Run {
  readonly passed: number
  readonly failed: number
  readonly output: string
}

async function runCopy(tests: readonly string[], mutation?: Mutation): Promise<Run> {
  const folder = await mkdtemp(join(tmpdir(), 'paging-mutation-'))
  try {
    for (const path of copied) await cp(join(root, path), join(folder, path), { recursive: true })
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
    if (mutation !== undefined) await mutate(join(folder, 'src/paging', mutation.file), mutation)
    return await runTests(
      folder,
      tests.map((name) => `src/paging/${name}.test.ts`),
    )
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function mutate(file: string, { search, replace }: Mutation): Promise<void> {
  const source = await readFile(file, 'utf8')
  assert.equal(source.split(search).length - 1, 1, `the code no longer says once: ${search}`)
  assert.notEqual(search, replace)
  await writeFile(
    file,
    source.replace(search, () => replace),
  )
}

function runTests(folder: string, files: readonly string[]): Promise<Run> {
  // A runner within a runner reports to the outer one, unless it does not know of it.
  const {
    NODE_TEST_CONTEXT: _context,
    NODE_V8_COVERAGE: _coverage,
    NODE_OPTIONS: _options,
    ...env
  } = process.env
  const command = ['--test', '--test-isolation=none', '--test-reporter=tap', ...files]
  return new Promise((resolve) => {
    execFile(process.execPath, command, { cwd: folder, env, timeout: 30_000 }, (_error, stdout, stderr) => {
      resolve({
        passed: summed('pass', stdout),
        failed: summed('fail', stdout),
        output: `${stdout}${stderr}`,
      })
    })
  })
}

/** Zero as well when the run was cut off before it could sum up. */
function summed(what: 'pass' | 'fail', output: string): number {
  return Number(new RegExp(`^# ${what} (\\d+)$`, 'm').exec(output)?.[1] ?? 0)
}
