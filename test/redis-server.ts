import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import type { Machine } from './chromium.ts'
import { freePort } from './free-port.ts'
import { noteSecret } from './records/secret-search-notes.ts'

export interface RedisServer {
  /** With the password, where there is one. */
  readonly url: string
  readonly pid: () => number | undefined
  /** At once and without a word, as in a power failure; nothing of it is kept. */
  readonly kill: () => Promise<void>
  /** On the same port, after `kill`; it comes back empty. */
  readonly restart: () => Promise<void>
  /** May be called again, and after `kill`. */
  readonly stop: () => Promise<void>
}

export interface RedisOptions {
  readonly password?: string
  /** Lines of redis.conf. */
  readonly settings?: readonly string[]
}

/** A throw-away Redis or Valkey on a free port. */
export async function startRedis({ password, settings = [] }: RedisOptions = {}): Promise<RedisServer> {
  const program = findRedis(thisMachine)
  if (program === undefined) throw new Error(howToGetOne)
  noteSecret('the password of Redis', password)
  const port = await freePort()
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1',
    'save ""',
    'appendonly no',
    ...(password === undefined ? [] : [`requirepass ${JSON.stringify(password)}`]),
    ...settings,
  ]
  let server = await launch(program, lines)
  const kill = async (): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return
    const exited = once(server, 'exit')
    server.kill('SIGKILL')
    await exited
  }
  const credentials = password === undefined ? '' : `:${encodeURIComponent(password)}@`
  return {
    url: `redis://${credentials}127.0.0.1:${port}`,
    pid: () => server.pid,
    kill,
    restart: async () => {
      server = await launch(program, lines)
    },
    stop: kill,
  }
}

/** Installs Redis where that is possible and needed; who then still finds none is told what to do. */
export async function provideRedis(machine: Machine = thisMachine): Promise<void> {
  if (findRedis(machine) !== undefined || !machine.isRoot || !machine.isFile(apt)) return
  machine.tell('installing redis-server with apt-get, because limits are tested on a real one …')
  const install = (): Promise<void> => machine.run(apt, ['install', ...aptOptions, 'redis-server'])
  try {
    // A fresh machine has no list of packages yet.
    await install().catch(() => machine.run(apt, ['update']).then(install))
    machine.tell('redis-server is installed')
  } catch (error) {
    machine.tell(`apt-get could not install redis-server: ${error instanceof Error ? error.message : ''}`)
  }
}

export function findRedis({ named, isFile }: Pick<Machine, 'named' | 'isFile'>): string | undefined {
  if (named === undefined || named === '') return usualPlaces.find(isFile)
  if (isFile(named)) return named
  throw new Error(`POSTERN_REDIS names ${named}, which does not exist`)
}

const usualPlaces = ['/usr/bin', '/usr/local/bin', '/opt/homebrew/bin'].flatMap((folder) => [
  `${folder}/valkey-server`,
  `${folder}/redis-server`,
])

export const howToGetOne = `the tests count limits on a real Redis or Valkey, and there is none on this machine.
  Debian, Ubuntu: sudo apt-get install redis-server (npm test does it by itself as root)
  macOS: brew install redis
  or name the program of yours: POSTERN_REDIS=/path/to/redis-server npm test`

const apt = '/usr/bin/apt-get'
/** Another test run may be installing at the same time. */
const aptOptions = ['-y', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=300'] as const

const thisMachine: Machine = {
  named: process.env.POSTERN_REDIS,
  isRoot: process.getuid?.() === 0,
  isFile: existsSync,
  run: async (program, args) => {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    await promisify(execFile)(program, [...args], { env, maxBuffer: 2 ** 26 })
  },
  tell: (progress) => console.error(progress),
}

/** The settings go in by standard input: a password on the command line could be read by everybody. */
async function launch(program: string, lines: readonly string[]): Promise<ChildProcess> {
  const server = spawn(program, ['-'], { cwd: tmpdir(), stdio: ['pipe', 'pipe', 'inherit'] })
  const end = (): void => {
    server.kill('SIGKILL')
  }
  process.once('exit', end)
  server.once('exit', () => process.off('exit', end))
  server.stdin.end(`${lines.join('\n')}\n`)
  const said: string[] = []
  for await (const line of createInterface({ input: server.stdout })) {
    said.push(line)
    if (/ready to accept connections/i.test(line)) {
      server.stdout.resume()
      return server
    }
  }
  throw new Error(`${program} ended before it was ready:\n${said.join('\n')}`)
}
