import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { commands } from '../../src/cli/commands.ts'
import { parseConfig } from '../../src/config/parse-config.ts'
import { programFile } from '../conformance/run-program.ts'
import { writeCurl } from '../serving/stand-in-curl.ts'
import { houseAddress, startHouse } from './house.ts'

const page = readFileSync(new URL('../../docs/models.md', import.meta.url), 'utf8')
const house = await startHouse(await houseAddress())
after(() => house[Symbol.asyncDispose]())
const { folder } = house.place
const root = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)

function blocks(language: string): string[] {
  return Array.from(page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms')), ([, text = '']) =>
    text.replaceAll('http://127.0.0.1:8080', house.url),
  )
}

/** Programs that the page takes for granted, as they are in this checkout. */
async function path(): Promise<string> {
  const bin = await writeCurl(folder)
  for (const [name, file] of [
    ['postern', join(root, 'bin', 'postern.js')],
    ['gemini', programFile({ of: '@google/gemini-cli', file: 'bundle/gemini.js' })],
  ] as const) {
    await writeFile(join(bin, name), `#!/bin/sh\nexec "${process.execPath}" "${file}" "$@"\n`)
    await chmod(join(bin, name), 0o755)
  }
  return [bin, dirname(process.execPath), process.env.PATH].join(delimiter)
}

const none = { GOOGLE_API_KEY: undefined, GEMINI_API_KEY: undefined, NODE_TEST_CONTEXT: undefined }
// Else the CLI starts itself a second time, with more memory than it needs here.
const alone = { GEMINI_CLI_NO_RELAUNCH: 'true' }
const env = { ...process.env, ...none, ...alone, NO_COLOR: '1' }

test('every command of the page works as it stands, one after the other', async () => {
  const lines = blocks('sh').join('\n')
  const { stdout } = await run('sh', ['-ec', lines], {
    cwd: folder,
    env: { ...env, PATH: await path() },
    timeout: 55_000,
  })
  assert.match(stdout, /"finishReason":"MAX_TOKENS"/)
  assert.match(stdout, /^data: \{/m)
  assert.match(stdout, /"name":"models\/tiny"/)
  assert.match(stdout, /^Created \S+, a key for team-a\./m)
  assert.match(stdout, /team-a .*gemini-\* 203\.0\.113\.0\/24$/m)
  assert.match(stdout, /^Created robot@demo\.iam\./m)
})

test('every program in JavaScript works as it stands', async () => {
  const [byKey = '', byAccount = '', ...more] = blocks('js')
  assert.deepEqual(more, [])
  const here = join(folder, 'programs')
  await mkdir(here)
  await symlink(join(root, 'node_modules'), join(here, 'node_modules'))
  await writeFile(join(here, 'by-key.mjs'), byKey)
  await writeFile(join(here, 'by-account.mjs'), byAccount)
  const account = await house.place.json(['service-accounts', 'create', 'page', '--project', 'demo'])
  await writeFile(join(here, 'page.json'), JSON.stringify(account))
  const KEY = await house.key()
  const told = await run(process.execPath, [join(here, 'by-key.mjs')], { env: { ...env, KEY } })
  assert.match(told.stdout, /\w.*404 NOT_FOUND\n$/s)
  const file = { GOOGLE_APPLICATION_CREDENTIALS: join(here, 'page.json') }
  const signed = await run(process.execPath, [join(here, 'by-account.mjs')], { env: { ...env, ...file } })
  assert.match(signed.stdout, /\w/)
})

test('every configuration of the page works', () => {
  const names = Array.from(page.matchAll(/\$\{(\w+)\}/g), ([, name]) => name)
  const values = Object.fromEntries(names.map((name) => [name, 'an-example-value']))
  assert.equal(blocks('yaml').length, 2)
  for (const text of blocks('yaml')) assert.doesNotThrow(() => parseConfig(text, { file: text, env: values }))
})

test('every command about keys stands on the page', () => {
  const missing = commands.filter(
    ({ group, name }) => group === 'API keys' && !page.includes(`postern ${name}`),
  )
  assert.deepEqual(missing, [])
})
