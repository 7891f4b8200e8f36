import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { programFile } from '../conformance/run-program.ts'
import { writeCurl } from '../serving/stand-in-curl.ts'

export const checkout: string = fileURLToPath(new URL('../../', import.meta.url))

/** A clean folder in which the commands of a page are typed, one block after the other, as in one terminal. */
export interface ShellPlace extends AsyncDisposable {
  readonly folder: string
  /** What the page says, and what it means here: ports, addresses. */
  readonly means: Map<string, string>
  /** Types a block, and waits for its end; programs that go on running, in terminals of their own, until they are ready. */
  readonly type: (text: string) => Promise<string>
  /** From now on it is typed in another terminal, by somebody who has not signed in anywhere yet. */
  readonly takeNewTerminal: () => Promise<void>
}

export interface ShellPlaceOptions {
  readonly env?: Readonly<Record<string, string>>
  /** Where `npx postern` is found, and `node_modules` of the folder; the checkout's unless given. */
  readonly program?: string
}

export async function openShellPlace(options: ShellPlaceOptions = {}): Promise<ShellPlace> {
  const outside = await mkdtemp(join(tmpdir(), 'postern-docs-'))
  const folder = join(outside, 'folder')
  await mkdir(folder)
  await mkdir(join(outside, 'data'))
  const bin = await writeCurl(outside)
  await writeNpx(bin, options.program ?? join(checkout, 'bin', 'postern.js'))
  await symlink(join(checkout, 'node_modules'), join(folder, 'node_modules'), 'junction')
  const state = join(outside, 'state')
  const env: NodeJS.ProcessEnv = { ...environment(outside, bin), ...options.env }
  const programs: ChildProcess[] = []
  const means = new Map<string, string>()
  const meant = (text: string): string =>
    [...means].reduce((changed, [said, here]) => changed.replaceAll(said, here), text)

  async function start(line: string): Promise<string> {
    const child = spawn('sh', ['-c', `${before(state, folder)}exec ${startCommand(line)}`], { env })
    programs.push(child)
    return whatItSays(child)
  }

  return {
    folder,
    means,
    type: async (text) => {
      const lines = text.split('\n').filter((line) => line.trim() !== '')
      const told: string[] = []
      if (!lines.every((line) => goesOn.test(line))) {
        const script = `${before(state, folder)}${meant(text)}\nexport -p > "${state}"\npwd > "${state}.folder"\n`
        const { stdout, stderr } = await run('sh', ['-ec', script], {
          env,
          timeout: 240_000,
          maxBuffer: 2 ** 26,
        })
        return stdout + stderr
      }
      for (const line of lines) told.push(await start(line))
      return told.join('')
    },
    takeNewTerminal: async () => {
      for (const file of [state, `${state}.folder`]) await rm(file, { force: true })
      env.HOME = await mkdtemp(join(outside, 'home-'))
    },
    [Symbol.asyncDispose]: async () => {
      for (const child of programs.toReversed()) await end(child)
      await rm(outside, { recursive: true, force: true, maxRetries: 20 })
    },
  }
}

const run = promisify(execFile)

/** Lines that start a program of ours which does not end by itself. */
const goesOn = /^(?:npm start|npx postern (?:serve|authority|dev))$/

/** What `npm start` runs, by package.json; npm itself would run it in the checkout. */
function startCommand(line: string): string {
  return line === 'npm start' ? 'npx postern dev' : line
}

/** Variables and the folder of the block before. */
function before(state: string, folder: string): string {
  const here = existsSync(`${state}.folder`) ? `"$(cat "${state}.folder")"` : `"${folder}"`
  return `set -a\n${existsSync(state) ? `. "${state}"\n` : ''}cd ${here}\n`
}

/** A program is ready when its log or its welcome says so. */
async function whatItSays(child: ChildProcess): Promise<string> {
  let said = ''
  const { stdout, stderr } = child
  if (stdout === null || stderr === null) throw new Error('a program without output')
  stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  for await (const text of stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    said += String(text)
    if (/"msg":"ready"|Stop with Ctrl-C/.test(said)) {
      stdout.resume()
      return said
    }
  }
  throw new Error(`a program ended before it was ready:\n${said}`)
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}

/** `npx` for the programs that the pages name, as they are installed in the checkout. */
async function writeNpx(bin: string, postern: string): Promise<void> {
  const programs = {
    node: '',
    postern,
    '@modelcontextprotocol/inspector': programFile({
      of: '@modelcontextprotocol/inspector',
      file: 'clients/launcher/build/index.js',
    }),
    '@google/gemini-cli': programFile({ of: '@google/gemini-cli', file: 'bundle/gemini.js' }),
  }
  const cases = Object.entries(programs).map(
    ([name, file]) => `${name}) shift; exec "${process.execPath}" ${file && `"${file}"`} "$@" ;;`,
  )
  const lines = [
    '#!/bin/sh',
    'case "$1" in',
    ...cases,
    'esac',
    'echo "no such program: $1" >&2',
    'exit 1',
    '',
  ]
  await writeFile(join(bin, 'npx'), lines.join('\n'))
  await chmod(join(bin, 'npx'), 0o755)
}

/** Of the person's own settings only what a program needs to run. */
function environment(home: string, bin: string): Record<string, string> {
  const kept = ['LANG', 'TMPDIR', 'NODE_EXTRA_CA_CERTS', 'NODE_COMPILE_CACHE'].flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  const path = [bin, ...placesOfReader(), dirname(process.execPath)].join(delimiter)
  // The Gemini CLI would start itself a second time, only to have more memory.
  const alone = { GEMINI_CLI_NO_RELAUNCH: 'true' }
  return { ...Object.fromEntries(kept), ...alone, HOME: home, PATH: path, NO_COLOR: '1' }
}

/** Where a reader's terminal looks for programs: `node` is that of the machine there, not the one that the project brings. */
function placesOfReader(): readonly string[] {
  const { PATH: places = '' } = process.env
  const ours = dirname(process.execPath)
  const isTheirs = (place: string): boolean =>
    place !== '' && place !== ours && !place.includes('node_modules')
  return places.split(delimiter).filter(isTheirs)
}

/** What `npm start` is, so that a page which begins with it can be typed. */
export async function startScript(): Promise<string> {
  const { scripts } = JSON.parse(await readFile(join(checkout, 'package.json'), 'utf8'))
  return String(scripts.start)
}
