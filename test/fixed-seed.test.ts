import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('..', import.meta.url))
const run = promisify(execFile)
const code = "import fc from 'fast-check'; console.log(JSON.stringify(fc.sample(fc.string(), 20)))"

async function drawn(seed?: string): Promise<string> {
  const { POSTERN_FUZZ_SEED: _, ...rest } = process.env
  const env = seed === undefined ? rest : { ...rest, POSTERN_FUZZ_SEED: seed }
  const options = ['--import', './test/fixed-seed.ts', '--input-type=module', '--eval', code]
  return (await run(process.execPath, options, { cwd: root, env })).stdout
}

test('each run of the tests draws the same cases, and another seed draws others', async () => {
  const [one, same, other] = [await drawn(), await drawn(), await drawn('2')]
  assert.equal(one, same)
  assert.notEqual(one, other)
})

test('a seed that is no whole number is refused', async () => {
  await assert.rejects(drawn('today'), /POSTERN_FUZZ_SEED must be a whole number/)
})
