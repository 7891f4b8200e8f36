import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('..', import.meta.url))
const run = promisify(execFile)
let folder = ''

/** The package as it would be published, in the node_modules of a project that has nothing else. */
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postern-package-'))
  const installed = join(folder, 'node_modules', 'postern')
  await mkdir(installed, { recursive: true })
  const tsc = join(root, 'node_modules', '.bin', 'tsc')
  // `npm run check` checks the types of the sources; those that are published are checked below.
  await run(tsc, ['-p', join(root, 'tsconfig.build.json'), '--noCheck', '--outDir', join(installed, 'dist')])
  for (const file of ['package.json', 'bin'])
    await cp(join(root, file), join(installed, file), { recursive: true })
})

after(() => rm(folder, { recursive: true }))

/** What is compiled of it is of no use once it is gone. */
function environment(): NodeJS.ProcessEnv {
  return { ...process.env, NODE_COMPILE_CACHE: join(folder, 'compiled') }
}

async function evaluate(code: string, options: readonly string[] = []): Promise<string> {
  const file = join(folder, 'check.mjs')
  await writeFile(file, code)
  return (await run(process.execPath, [...options, file], { cwd: folder, env: environment() })).stdout
}

async function link(name: string): Promise<void> {
  await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name))
}

test('postern/paging needs no other package', async () => {
  const code = `import * as paging from 'postern/paging'
    console.log(typeof paging.definePager, typeof paging.compilePage)`
  assert.equal(await evaluate(code), 'function function\n')
})

test('postern/client needs one package that signs in, and the official MCP client only to connect', async () => {
  await link('oauth4webapi')
  const code = `import * as client from 'postern/client'
    const error = await client.connectTools('https://127.0.0.1:1/mcp').catch((error) => error)
    console.log(typeof client.walk, typeof client.createOAuth, typeof client.tokenFile, error.code)`
  assert.equal(await evaluate(code), 'function function function ERR_MODULE_NOT_FOUND\n')
})

test('postern/client for browsers has no token file', async () => {
  const code = `import * as client from 'postern/client'; console.log(typeof client.walk, typeof client.tokenFile)`
  assert.equal(await evaluate(code, ['--conditions=browser']), 'function undefined\n')
})

test('the published types are strict enough to be used, and complete', async () => {
  const code = `import { definePager, type Pager } from 'postern/paging'
    import { walk, cursorPages } from 'postern/client'
    export const pager: Pager<{ id: string }> = definePager<{ id: string }>({ id: 'x', style: 'offset',
      sorts: { id: [{ column: 'id', type: 'text', direction: 'ascending', unique: true }] } })
    // @ts-expect-error a column that the row does not have
    definePager<{ id: string }>({ id: 'x', style: 'offset', sorts: { id: [{ column: 'nope', type: 'text', direction: 'ascending' }] } })
    export const items: AsyncIterable<unknown> = walk(cursorPages('https://example.org/'))`
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  await writeFile(join(folder, 'use.ts'), code)
  const types = join(folder, 'node_modules', '@types')
  await symlink(join(root, 'node_modules', '@types'), types)
  await symlink(join(root, 'node_modules', 'undici-types'), join(folder, 'node_modules', 'undici-types'))
  const options = [
    '--noEmit',
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'es2024',
    '--types',
    'node',
    'use.ts',
  ]
  const tsc = join(root, 'node_modules', '.bin', 'tsc')
  await assert.doesNotReject(run(tsc, options, { cwd: folder }))
})

test('the published executable runs from its built files', async () => {
  for (const name of ['fastify', 'kysely', 'pg', 'pino', 'typebox', 'yaml']) await link(name)
  const executable = join(folder, 'node_modules', 'postern', 'bin', 'postern.js')
  const command = [executable, 'config', 'check', '--json']
  const { stdout } = await run(process.execPath, command, { cwd: folder, env: environment() })
  assert.match(stdout, /"port": ?8080/)
})
