import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { Failure } from '../../failure/failure.ts'
import { readStoryWeights } from './weights.ts'

const isMisconfigured = (pattern: RegExp) => (error: unknown) =>
  error instanceof Failure && error.code === 'misconfigured' && pattern.test(error.message)

test('weights other than the pinned ones are refused', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'postern-weights-'))
  const file = join(folder, 'llama2.data')
  await writeFile(file, 'not a model')
  await assert.rejects(readStoryWeights(pathToFileURL(file).href), isMisconfigured(/not the pinned ones/))
  await rm(folder, { recursive: true })
})

test('missing weights are refused with what to install', async () => {
  const missing = pathToFileURL(join(tmpdir(), 'postern-no-such-file')).href
  await assert.rejects(readStoryWeights(missing), isMisconfigured(/install llama2\.c-emscripten 0\.1\.0/))
})
