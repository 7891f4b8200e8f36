import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type Mutation, mutations } from './mutations.ts'

const paging = new URL('../../src/paging/', import.meta.url)
const hook = new URL('mutating-hook.ts', import.meta.url)

describe('the tests notice when the code is broken', { concurrency: 2 }, () => {
  test('and only then', async () => {
    const everyTest = [...new Set(mutations.flatMap(({ tests }) => tests))]
    const { passed, failed, output } = await runTests(everyTest)
    assert.ok(passed > 100 && failed === 0, output)
  })

  for (const mutation of mutations)
    test(mutation.name, async () => {
      const { passed, failed, output } = await runTests(mutation.tests, await mutated(mutation))
      assert.ok(passed > 0, `the code does not even load:\n${output}`)
      assert.ok(failed > 0, `nobody noticed:\n${output}`)
    })
})

/** What the hook needs to know. */
type Mutated = Readonly<Record<'POSTERN_MUTATED_URL' | 'POSTERN_MUTATED_SOURCE', string>>

async function mutated({ file, search, replace }: Mutation): Promise<Mutated> {
  const url = new URL(file, paging)
  const source = await readFile(url, 'utf8')
  assert.equal(source.split(search).length - 1, 1, `the code no longer says once: ${search}`)
  assert.notEqual(search, replace)
  return {
    POSTERN_MUTATED_URL: url.href,
    POSTERN_MUTATED_SOURCE: source.replace(search, () => replace),
  }
}

interface Run {
  readonly passed: number
  readonly failed: number
  readonly output: string
}

function runTests(names: readonly string[], change?: Mutated): Promise<Run> {
  // A runner within a runner reports to the outer one, unless it does not know of it.
  const {
    NODE_TEST_CONTEXT: _context,
    NODE_V8_COVERAGE: _coverage,
    NODE_OPTIONS: _options,
    ...env
  } = process.env
  const files = names.map((name) => fileURLToPath(new URL(`${name}.test.ts`, paging)))
  const command = [
    `--import=${hook.href}`,
    '--test',
    '--test-isolation=none',
    '--test-reporter=tap',
    ...files,
  ]
  return new Promise((resolve) => {
    // Only a mutation that never ends needs so long.
    const options = { env: { ...env, ...change }, timeout: 50_000 }
    execFile(process.execPath, command, options, (_error, stdout, stderr) => {
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
