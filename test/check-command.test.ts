import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { appendFile, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('..', import.meta.url))
let copy = ''

before(async () => {
  copy = await copyCheckout()
})

after(async () => {
  await rm(copy, { recursive: true, force: true })
})

/** What is planted, into which file, and the program of the `check` script that must find it. */
const plants = [
  {
    what: 'an architecture violation',
    program: 'node',
    file: 'src/failure/planted-import.ts',
    text: "import { createServer } from 'node:http'\n\ncreateServer()\n",
  },
  {
    what: 'an unused export',
    program: 'knip',
    file: 'src/failure/failure.ts',
    text: '\nexport const plantedAndUnused: number = 1\n',
  },
  {
    what: 'a promise that is not awaited',
    program: 'oxlint',
    file: 'src/failure/planted-promise.ts',
    text: 'async function planted(): Promise<void> {}\n\nplanted()\n',
  },
] as const

for (const { program } of plants)
  test(`the checkout as it is passes ${program} of npm run check`, async () => {
    const { code, output } = await runCheck(program)
    assert.equal(code, 0, output)
  })

for (const { what, program, file, text } of plants)
  test(`${what} makes npm run check fail and is named`, async () => {
    const path = join(copy, file)
    const original = await readFile(path).catch(() => null)
    await appendFile(path, text)
    const { code, output } = await runCheck(program)
    await (original === null ? rm(path) : writeFile(path, original))
    assert.notEqual(code, 0)
    assert.ok(output.includes(file), output)
  })

/** Every file that git would take along: tracked, or new and not ignored. */
async function copyCheckout(): Promise<string> {
  const listing = ['ls-files', '--cached', '--others', '--exclude-standard', '-z']
  const { stdout } = await promisify(execFile)('git', listing, { cwd: root, maxBuffer: 2 ** 26 })
  const target = await mkdtemp(join(tmpdir(), 'postern-check-'))
  for (const file of new Set(stdout.split('\0').filter((name) => name !== ''))) {
    await mkdir(dirname(join(target, file)), { recursive: true })
    await cp(join(root, file), join(target, file)).catch(ignoreDeleted)
  }
  await symlink(join(root, 'node_modules'), join(target, 'node_modules'), 'junction')
  return target
}

function ignoreDeleted(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}

/** Runs the one command of the `check` script that starts with this program. */
async function runCheck(program: string): Promise<{ readonly code: number; readonly output: string }> {
  const manifest: { scripts: { check: string } } = JSON.parse(
    await readFile(join(root, 'package.json'), 'utf8'),
  )
  const commands = manifest.scripts.check.split(' && ').filter((command) => command.split(' ')[0] === program)
  assert.equal(commands.length, 1, `npm run check must run ${program} once`)
  const { NODE_TEST_CONTEXT: _, ...environment } = process.env
  const PATH = [join(copy, 'node_modules', '.bin'), process.env.PATH].join(delimiter)
  return new Promise((resolve) => {
    execFile(
      commands[0] ?? '',
      { cwd: copy, shell: true, env: { ...environment, PATH }, maxBuffer: 2 ** 26 },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : 1, output: `${stdout}${stderr}` }),
    )
  })
}
