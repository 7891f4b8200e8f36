import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseConfig } from '../config/parse-config.ts'
import { createLog } from '../log/log.ts'
import { ensureDevKey } from './dev-api-key.ts'
import type { LoadedConfig } from './load-config.ts'

test('a folder that lost the file of its key gets another one, although the store has the first', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'postern-dev-key-'))
  const config = parseConfig('store: "sqlite:dev.db"', { file: 'dev.yaml', env: {} })
  const loaded: LoadedConfig = { config, directory, file: undefined }
  const log = createLog({ level: 'silent' })
  const first = await ensureDevKey(loaded, log)
  assert.equal(await ensureDevKey(loaded, log), first)
  await rm(join(directory, 'dev-api-key'))
  const second = await ensureDevKey(loaded, log)
  assert.notEqual(second, first)
  assert.equal((await readFile(join(directory, 'dev-api-key'), 'utf8')).trim(), second)
  await rm(directory, { recursive: true })
})
