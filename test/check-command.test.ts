import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { appendFile, cp, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('..', import.meta.url))

/** What is planted, into which file, the program of the `check` script that must find it, and how it tells of one finding. */
const plants = [
  {
    what: 'an architecture violation',
    program: 'node',
    file: 'src/failure/planted-import.ts',
    text: "import { createServer } from 'node:http'\n\ncreateServer()\n",
    alone: /^. fail 1$.*^ +1 !== 0$/ms,
    reads: /^/,
  },
  {
    what: 'an unused export',
    program: 'knip',
    file: 'src/failure/failure.ts',
    text: '\nexport const plantedAndUnused: number = 1\n',
    alone: /^Unused exports \(1\)\nplantedAndUnused .*\n$/,
    reads: /^/,
  },
  {
    what: 'a promise that is not awaited',
    program: 'oxlint',
    file: 'src/failure/planted-promise.ts',
    text: 'async function planted(): Promise<void> {}\n\nplanted()\n',
    alone: /^Found 0 warnings and 1 error\.$/m,
    // The types of all the sources take long, and `npm run check` reads them.
    reads: /^(?:[^/]+$|bench\/findings|examples\/|src\/(?:failure|paging)\/|test\/fixed-seed)/,
  },
] as const

for (const { what, program, file, text, alone, reads } of plants)
  test(`${what} makes npm run check fail and is named, and nothing else is`, async () => {
    const copy = await copyCheckout(reads)
    try {
      await appendFile(join(copy, file), text)
      const { code, output } = await runCheck(program, copy)
      assert.notEqual(code, 0)
      assert.ok(output.includes(file), output)
      assert.match(output, alone)
    } finally {
      await rm(copy, { recursive: true, force: true })
    }
  })

/** Of the files that git would take along, tracked, or new and not ignored, those that a program reads. */
async function copyCheckout(reads: RegExp): Promise<string> {
  const listing = ['ls-files', '--cached', '--others', '--exclude-standard', '-z']
  const { stdout } = await promisify(execFile)('git', listing, { cwd: root, maxBuffer: 2 ** 26 })
  const target = await mkdtemp(join(tmpdir(), 'postern-check-'))
  for (const file of new Set(stdout.split('\0').filter((name) => name !== '' && reads.test(name)))) {
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
async function runCheck(
  program: string,
  copy: string,
): Promise<{ readonly code: number; readonly output: string }> {
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
      {
        cwd: copy,
        shell: true,
        env: { ...environment, PATH, NODE_DISABLE_COMPILE_CACHE: '1' },
        maxBuffer: 2 ** 26,
      },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : 1, output: `${stdout}${stderr}` }),
    )
  })
}
