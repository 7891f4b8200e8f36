import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

test("postern/client for browsers compiles against a browser's globals alone, without Node's", async () => {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const compiler = fileURLToPath(import.meta.resolve('typescript/package.json')).replace(
    'package.json',
    'bin/tsc',
  )
  const browser = ['--lib', 'es2023,dom,dom.iterable,dom.asynciterable', '--types', '']
  const settings = [
    '--strict',
    '--noEmit',
    '--skipLibCheck',
    '--module',
    'nodenext',
    '--target',
    'es2023',
    '--ignoreConfig',
  ]
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [compiler, ...browser, ...settings, '--allowImportingTsExtensions', 'src/client/public-browser.ts'],
    { cwd: root },
  )
  assert.equal(stdout, '')
})
