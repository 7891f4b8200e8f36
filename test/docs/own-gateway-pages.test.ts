import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { Client } from 'pg'
import { parseConfig } from '../../src/config/parse-config.ts'
import { freePort } from '../free-port.ts'
import { startOpenaiServer } from '../openai-server/openai-server.ts'
import { buildPackage } from './built-package.ts'
import { blocksOf, typedBlocks } from './command-blocks.ts'
import { checkout, openShellPlace, type ShellPlace } from './shell-place.ts'

/** Types all blocks of a page that are not left out. */
async function typeAll(page: string, place: ShellPlace): Promise<string> {
  const [gateway, authority] = [await freePort(), await freePort()]
  place.means.set('8081', String(authority)).set('8080', String(gateway))
  let told = ''
  for (const text of typedBlocks(page)) told += await place.type(text)
  return told
}

test('docs/write-a-tool.md leads to a tool that answers, in a folder with the package as it is published', async () => {
  const installed = await mkdtemp(join(tmpdir(), 'postern-docs-package-'))
  try {
    await buildPackage(installed)
    await using place = await openShellPlace({
      program: join(installed, 'bin', 'postern.js'),
      // What is compiled of it is of no use once it is gone.
      env: { NODE_COMPILE_CACHE: join(installed, 'compiled') },
    })
    await rm(join(place.folder, 'node_modules'))
    await mkdir(join(place.folder, 'node_modules'))
    for (const [name, target] of [
      ['postern', installed],
      ['typebox', join(checkout, 'node_modules', 'typebox')],
    ] as const)
      await symlink(target, join(place.folder, 'node_modules', name), 'junction')
    // As `npm init` and `npm pkg set` of the page leave it.
    await writeFile(join(place.folder, 'package.json'), '{ "name": "my-gateway", "type": "module" }')
    const told = await typeAll('docs/write-a-tool.md', place)
    assert.match(told, /You have 1 notes\./)
    assert.match(told, /"there is such a note already".*"isError":true/)
    assert.match(told, /"isError":true.*$/s)
    assert.match(told, /ada/)
  } finally {
    await rm(installed, { recursive: true })
  }
})

test('docs/real-models.md puts a server with the OpenAI wire behind the gateway', async () => {
  await using server = await startOpenaiServer()
  await using place = await openShellPlace()
  place.means.set('http://127.0.0.1:11434/v1', `${server.origin}/vllm/v1`).set('qwen3', 'echo')
  const told = await typeAll('docs/real-models.md', place)
  assert.match(told, /"finishReason":"STOP"/)
  assert.match(told, /^Created \S+, a key for nightly/m)
  assert.equal((await server.last()).path, '/vllm/v1/chat/completions')
})

test('docs/postgres.md puts Postgres behind the gateway, with the role and the database of the page', async () => {
  const admin = new URL(process.env.POSTERN_TEST_POSTGRES ?? '')
  const name = `docs_${randomBytes(4).toString('hex')}`
  const statements = blocksOf('docs/postgres.md', 'sql').join('').replaceAll('postern', name)
  await asAdmin(admin, statements)
  try {
    await using place = await openShellPlace()
    const address = `postgres://${name}:change-me@${admin.host}/${name}`
    place.means.set('postgres://postern:change-me@127.0.0.1:5432/postern', address)
    const told = await typeAll('docs/postgres.md', place)
    assert.match(told, /"store":"postgres"/)
    assert.match(told, /"store":"ok"/)
    assert.match(told, / first +first /)
    assert.doesNotMatch(told, /change-me/)
  } finally {
    await asAdmin(admin, `DROP DATABASE ${name} WITH (FORCE);\nDROP ROLE ${name};\n`)
  }
})

test('docs/authority.md makes people, service accounts and keys beside both programs', async () => {
  await using place = await openShellPlace()
  const [config = ''] = blocksOf('docs/authority.md', 'yaml')
  const [gateway, authority] = [await freePort(), await freePort()]
  await writeFile(
    join(place.folder, 'postern.yaml'),
    config.replace('server:\n', `$&  port: ${gateway}\n`).replace('authority:\n', `$&  port: ${authority}\n`),
  )
  await mkdir(join(place.folder, 'tools'))
  await writeFile(join(place.folder, 'tools', 'notes.ts'), 'export const tools = []\n')
  // At a terminal it asks a person; everywhere else the password is a line of the input.
  const command = 'npx postern authority users'
  place.means.set(command, `echo 'a password of some length' | ${command}`)
  const told = await typeAll('docs/authority.md', place)
  for (const outcome of [
    /^Added ada/m,
    /"msg":"ready".*"msg":"ready"/s,
    /^grace +Grace Hopper/m,
    /^grace is removed/m,
    /^robot@postern\.iam\.gate\.example /m,
    /^Created robot@/m,
  ])
    assert.match(told, outcome)
  assert.equal((await stat(join(place.folder, 'robot.json'))).mode & 0o777, 0o600)
})

test('docs/upgrade.md checks a configuration with the new program', async () => {
  await using place = await openShellPlace()
  assert.match(await typeAll('docs/upgrade.md', place), /\d+\.\d+\.\d+/)
})

test('docs/deploy.md makes a file of secrets that only its owner can read', async () => {
  await using place = await openShellPlace()
  await typeAll('docs/deploy.md', place)
  assert.equal((await stat(join(place.folder, '.env'))).mode & 0o777, 0o600)
  const lines = (await place.type('cat .env\n')).trim().split('\n')
  assert.deepEqual(
    lines.map((line) => line.split('=')[0]),
    ['POSTGRES_PASSWORD', 'POSTERN_AUTHORITY_SECRET', 'POSTERN_PAGING_KEY'],
  )
  for (const line of lines) assert.ok(line.length > 60, line)
})

test('every other configuration of docs/real-models.md works', () => {
  const env = { UPSTREAM_GEMINI_API_KEY: 'an-example-value' }
  assert.equal(blocksOf('docs/real-models.md', 'yaml').length, 2)
  for (const text of blocksOf('docs/real-models.md', 'yaml'))
    assert.ok(parseConfig(text, { file: 'page.yaml', env }).models.length > 0)
})

/** One statement at a time: a database is not made inside a transaction. */
async function asAdmin(url: URL, statements: string): Promise<void> {
  const client = new Client({ connectionString: url.href })
  await client.connect()
  try {
    for (const statement of statements.split(';\n').filter((text) => text.trim() !== ''))
      await client.query(statement)
  } finally {
    await client.end()
  }
}
