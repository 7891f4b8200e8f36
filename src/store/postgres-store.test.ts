import assert from 'node:assert/strict'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { inspect } from 'node:util'
import { sql } from 'kysely'
import pg from 'pg'
import { freePort } from '../../test/free-port.ts'
import { type PostgresServer, startPostgres } from '../../test/postgres-server.ts'
import { postgres } from '../../test/store/engines.ts'
import { Failure, type FailureCode } from '../failure/failure.ts'
import { createLog, type Log } from '../log/log.ts'
import { connectPostgres } from './postgres-store.ts'
import type { Store } from './store.ts'

const password = 'correct-horse-battery'

test('a time with microseconds comes back as the text that went in', async () => {
  await using store = await postgres.open()
  await sql`create table t (id integer primary key, at timestamptz not null)`.execute(store.db)
  const times = Array.from({ length: 1000 }, () => {
    const microseconds = String(Math.floor(Math.random() * 1_000_000))
      .padStart(6, '0')
      .replace(/0+$/, '')
    return `2026-11-03 10:11:12${microseconds === '' ? '' : `.${microseconds}`}+00`
  })
  for (const [id, at] of times.entries())
    await sql`insert into t values (${id}, ${at}::timestamptz)`.execute(store.db)
  const { rows } = await sql<{ at: string }>`select at from t order by id`.execute(store.db)
  assert.deepEqual(
    rows.map((row) => row.at),
    times,
  )
})

test('times have one form, whatever the server prefers', async () => {
  await using database = await postgres.create()
  const store = await connectPostgres(database.url, { log: silent() })
  const name = sql.id(new URL(database.url).pathname.slice(1))
  await sql`alter database ${name} set datestyle = 'German'`.execute(store.db)
  await sql`alter database ${name} set timezone = 'Asia/Kolkata'`.execute(store.db)
  await store.close()
  const later = await connectPostgres(database.url, { log: silent() })
  const { rows } = await sql`select '2026-11-03 10:11:12.000001+01'::timestamptz as at`.execute(later.db)
  assert.deepEqual(rows, [{ at: '2026-11-03 09:11:12.000001+00' }])
  await later.close()
})

test('no value passes through a Date or a float on its way', async () => {
  await using store = await postgres.open()
  const { rows } = await sql`select
    '2026-11-03'::date as day, '2026-11-03 10:11:12.123456'::timestamp as local, '1.10'::numeric as amount,
    '3 days 00:00:00.000001'::interval as span, 9007199254740991::int8 as large,
    array['1.10'::numeric] as amounts, array[9007199254740993::int8] as larges,
    array['2026-11-03 10:11:12.123456+00'::timestamptz] as moments`.execute(store.db)
  assert.deepEqual(rows, [
    {
      day: '2026-11-03',
      local: '2026-11-03 10:11:12.123456',
      amount: '1.10',
      span: '3 days 00:00:00.000001',
      large: 9_007_199_254_740_991,
      amounts: '{1.10}',
      larges: '{9007199254740993}',
      moments: '{"2026-11-03 10:11:12.123456+00"}',
    },
  ])
})

test('the readers of other users of pg stay as they are', () => {
  assert(
    pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ)('2026-11-03 10:11:12.123456+00') instanceof Date,
  )
})

test('text with NUL is refused by name, and a lone surrogate becomes the replacement character', async () => {
  await using store = await postgres.open()
  await assert.rejects(sql`select ${'a\0b'}::text`.execute(store.db), /invalid byte sequence/)
  const { rows } = await sql`select ${'\ud800'}::text as surrogate`.execute(store.db)
  assert.deepEqual(rows, [{ surrogate: '\ufffd' }])
})

test('connections are named and limited, and the URL has the last word', async () => {
  await using database = await postgres.create()
  const settings = async (url: string): Promise<unknown> => {
    const store = await connectPostgres(url, { log: silent() })
    const { rows } = await sql`select current_setting('application_name') as name,
      current_setting('statement_timeout') as statement,
      current_setting('idle_in_transaction_session_timeout') as idle`.execute(store.db)
    await store.close()
    return rows[0]
  }
  assert.deepEqual(await settings(database.url), { name: 'postern', statement: '30s', idle: '1min' })
  assert.deepEqual(await settings(`${database.url}?application_name=mine&statement_timeout=1000`), {
    name: 'mine',
    statement: '1s',
    idle: '1min',
  })
})

test('a server that is not there is named, and the password is nowhere', async () => {
  const port = await freePort()
  const url = `postgres://someone:${password}@127.0.0.1:${port}/postern`
  await refused(url, 'unavailable', new RegExp(`someone@127.0.0.1:${port}/postern does not answer: start it`))
})

test('a host that does not exist is named', async () => {
  await refused(
    `postgres://someone:${password}@postern.invalid/x`,
    'unavailable',
    /postern\.invalid:5432\/x cannot be found/,
  )
})

test('a missing database is named with what to do', async () => {
  await using database = await postgres.create()
  await refused(
    `${database.url}_gone`,
    'misconfigured',
    /_gone has no such database: create it with createdb/,
  )
})

test('sslmode is respected: a server without encryption is refused', async () => {
  await using database = await postgres.create()
  await refused(`${database.url}?sslmode=verify-full`, 'misconfigured', /offers no encryption/)
})

test('a certificate file that is not there is named', async () => {
  const url = `postgres://someone:${password}@127.0.0.1/x?sslrootcert=/nowhere/root.pem`
  await refused(url, 'misconfigured', /names the file \/nowhere\/root\.pem, which cannot be read/)
})

for (const inside of ['12/34', '12#34', '12?34', 'a b@c/d', 'a@b?c', 'a@b#c']) {
  test(`a password such as ${inside} that breaks the URL is refused before it is taken for a host or a port`, async () => {
    const url = `postgres://someone:${inside}${password}@127.0.0.1:1/x`
    await refused(url, 'misconfigured', /percent-encoded/)
  })
}

test('an @ in a parameter of the URL is no password', async () => {
  await using database = await postgres.create()
  const store = await connectPostgres(`${database.url}?application_name=ops@home`, { log: silent() })
  const { rows } = await sql`show application_name`.execute(store.db)
  assert.deepEqual(rows, [{ application_name: 'ops@home' }])
  await store.close()
})

test('after its connection was ended, the very next query works', async () => {
  await using store = await postgres.open()
  for (let round = 0; round < 10; round += 1) {
    await assert.rejects(sql`select pg_terminate_backend(pg_backend_pid())`.execute(store.db), isUnavailable)
    await sql`select 1`.execute(store.db)
  }
})

function isUnavailable(error: unknown): boolean {
  return error instanceof Failure && error.code === 'unavailable'
}

interface OwnServer extends PostgresServer {
  readonly folder: string
}

/** One that may be locked and stopped; starting it takes seconds, so the next two tests share it. */
let ownServer: OwnServer | undefined
after(async () => {
  if (ownServer !== undefined) await rm(ownServer.folder, { recursive: true })
})

async function startOwnServer(): Promise<OwnServer> {
  const folder = await mkdtemp(join(tmpdir(), 'postern-hba-'))
  await chmod(folder, 0o755)
  const rules = [
    'host all locked all scram-sha-256',
    'host all unwanted all reject',
    'host all all all trust',
  ]
  await writeFile(join(folder, 'hba.conf'), `${rules.join('\n')}\n`, { mode: 0o644 })
  ownServer = { ...(await startPostgres([`hba_file=${join(folder, 'hba.conf')}`])), folder }
  return ownServer
}

test('a wrong password, a missing password and an unwanted user are told apart', async () => {
  const server = await startOwnServer()
  const owner = await connectPostgres(server.url, { log: silent() })
  await sql`create role locked login password ${sql.lit(password)}`.execute(owner.db)
  await owner.close()
  const as = (user: string): string => server.url.replace('postgres@', `${user}@`)
  const right = await connectPostgres(as(`locked:${password}`), { log: silent() })
  await right.close()
  await refused(as(`locked:not-${password}`), 'misconfigured', /refuses the password/)
  await refused(as('locked'), 'misconfigured', /asks for a password and the store URL has none/)
  await refused(as('unwanted'), 'misconfigured', /refuses this user/)
})

test('a connection that the server ends while it is idle is replaced, and the log says so without the password', async () => {
  await using database = await postgres.create()
  const { log, line, lines } = listeningLog()
  const url = new URL(database.url)
  url.password = password
  const store = await connectPostgres(url.href, { log })
  await endConnections(database.url, await backend(store))
  await line
  await store.ping()
  assert.match(lines(), /lost a connection to Postgres/)
  assert.doesNotMatch(lines(), new RegExp(password))
  await store.close()
})

test('a connection that the server ends in the middle of a transaction fails that transaction and nothing else', async () => {
  await using database = await postgres.create()
  const { log, line } = listeningLog()
  const store = await connectPostgres(database.url, { log })
  const broken = store.db.transaction().execute(async (transaction) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(transaction)
    await endConnections(database.url, Number(rows[0]?.pid))
    await line
    await sql`select 1`.execute(transaction)
  })
  await assert.rejects(broken)
  await store.ping()
  await store.close()
})

test('a server that goes away makes the store unavailable, in words', async () => {
  const server = ownServer ?? (await startOwnServer())
  const { log, line } = listeningLog()
  const store = await connectPostgres(server.url, { log })
  await server.stop()
  await line
  await assert.rejects(store.ping(), (error) => {
    assert(error instanceof Failure)
    assert.equal(error.code, 'unavailable')
    return true
  })
  await store.close()
})

async function refused(url: string, code: FailureCode, message: RegExp): Promise<void> {
  await assert.rejects(connectPostgres(url, { log: silent() }), (error) => {
    assert(error instanceof Failure)
    assert.match(error.message, message)
    assert.equal(error.code, code)
    assert.equal(error.field, 'store')
    assert.doesNotMatch(inspect(error, { depth: 20, showHidden: true }), new RegExp(password))
    return true
  })
}

function silent(): Log {
  return createLog({ level: 'silent' })
}

function listeningLog(): { log: Log; line: Promise<void>; lines: () => string } {
  const written: string[] = []
  const first = Promise.withResolvers<void>()
  const write = (text: string): void => {
    written.push(text)
    first.resolve()
  }
  return { log: createLog({ destination: { write } }), line: first.promise, lines: () => written.join('') }
}

async function backend(store: Store<unknown>): Promise<number> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(store.db)
  return Number(rows[0]?.pid)
}

async function endConnections(url: string, pid: number): Promise<void> {
  const other = new pg.Client(url)
  await other.connect()
  await other.query('select pg_terminate_backend($1)', [pid])
  await other.end()
}
