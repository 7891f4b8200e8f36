import assert from 'node:assert/strict'
import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { sql } from 'kysely'
import { Failure, type FailureCode } from '../failure/failure.ts'
import { createLog } from '../log/log.ts'
import { migrate } from './migrate.ts'
import { runningFailure } from './sqlite-failure.ts'
import { connectSqlite } from './sqlite-store.ts'

test('a missing folder and file are created for their owner alone, and so are the files beside it', async () => {
  await using folder = await temporaryFolder()
  const file = join(folder.path, 'new', 'deeper', 'store.db')
  const store = await connectSqlite(`sqlite:${file}`, {})
  await sql`create table t (a)`.execute(store.db)
  assert.equal(await modeOf(join(folder.path, 'new')), 0o700)
  assert.equal(await modeOf(join(folder.path, 'new', 'deeper')), 0o700)
  for (const suffix of ['', '-wal', '-shm']) assert.equal(await modeOf(file + suffix), 0o600)
  await store.close()
})

test('a relative path begins at the given directory', async () => {
  await using folder = await temporaryFolder()
  const store = await connectSqlite('sqlite:./data/postern.db', { directory: folder.path })
  await store.close()
  assert((await stat(join(folder.path, 'data', 'postern.db'))).isFile())
})

test('every connection has the settings that the store promises', async () => {
  await using folder = await temporaryFolder()
  const store = await connectSqlite(`sqlite:${join(folder.path, 'store.db')}`, {})
  const settings = {
    journal_mode: 'wal',
    synchronous: 1,
    foreign_keys: 1,
    trusted_schema: 0,
    mmap_size: 268_435_456,
  }
  for (const [name, value] of Object.entries(settings)) {
    const { rows } = await sql`pragma ${sql.raw(name)}`.execute(store.db)
    assert.deepEqual(rows, [{ [name]: value }])
  }
  await store.close()
})

test('a store in memory is nobody else’s', async () => {
  const first = await connectSqlite('sqlite::memory:', {})
  const second = await connectSqlite('sqlite::memory:', {})
  await sql`create table t (a)`.execute(first.db)
  await assert.rejects(sql`select * from t`.execute(second.db), /no such table/)
  await first.close()
  await second.close()
})

for (const url of ['sqlite:', 'sqlite://data/x.db', 'sqlite:///data/x.db', 'sqlite:a\0b']) {
  test(`${JSON.stringify(url)} is refused with the two forms that work`, async () => {
    await assert.rejects(
      connectSqlite(url, {}),
      failure('misconfigured', /sqlite:\.\/relative.+ or sqlite:\/absolute/),
    )
  })
}

test('a folder in place of the file is refused by name', async () => {
  await using folder = await temporaryFolder()
  await assert.rejects(
    connectSqlite(`sqlite:${folder.path}`, {}),
    failure('misconfigured', /is a folder/, folder.path),
  )
})

test('a file in place of the folder is refused by name', async () => {
  await using folder = await temporaryFolder()
  await writeFile(join(folder.path, 'file'), '')
  for (const path of ['file/store.db', 'file/deeper/store.db']) {
    const opening = connectSqlite(`sqlite:${join(folder.path, path)}`, {})
    await assert.rejects(opening, failure('misconfigured', /has a file where its folder should be/))
  }
})

test('a file that is not a database is refused and left as it is', async () => {
  await using folder = await temporaryFolder()
  const file = join(folder.path, 'notes.txt')
  await writeFile(file, 'dear diary, '.repeat(100))
  await assert.rejects(
    connectSqlite(`sqlite:${file}`, {}),
    failure('misconfigured', /is not a SQLite database/, file),
  )
  assert.equal((await stat(file)).size, 1200)
})

test('a folder without write permission is refused with what to do', async () => {
  await using folder = await temporaryFolder()
  await chmod(folder.path, 0o555)
  await asOrdinaryUser(async () => {
    for (const path of ['store.db', 'data/store.db']) {
      const opening = connectSqlite(`sqlite:${join(folder.path, path)}`, {})
      await assert.rejects(
        opening,
        failure('misconfigured', /cannot be written: give this user write permission/),
      )
    }
  })
})

test('a file without write permission is refused when it is opened, not at the first write', async () => {
  await using folder = await temporaryFolder()
  const file = join(folder.path, 'store.db')
  const store = await connectSqlite(`sqlite:${file}`, {})
  await sql`create table t (a)`.execute(store.db)
  await store.close()
  await chmod(file, 0o444)
  await chmod(folder.path, 0o777)
  await asOrdinaryUser(async () => {
    await assert.rejects(
      connectSqlite(`sqlite:${file}`, {}),
      failure('misconfigured', /cannot be written/, file),
    )
  })
})

test('a file that another connection keeps locked is given up after the time-out, and the event loop runs meanwhile', async () => {
  await using folder = await temporaryFolder()
  const file = join(folder.path, 'store.db')
  const other = new DatabaseSync(file)
  other.exec('create table t (a); begin exclusive')
  let ticks = 0
  const ticking = setInterval(() => (ticks += 1), 1).unref()
  const opening = connectSqlite(`sqlite:${file}`, { lockMilliseconds: 100 })
  await assert.rejects(opening, failure('unavailable', /was locked by another process for 100 ms/, file))
  clearInterval(ticking)
  other.close()
  assert(ticks > 10)
})

test('a write waits for the transaction of another connection in the same process', async () => {
  await using folder = await temporaryFolder()
  const url = `sqlite:${join(folder.path, 'store.db')}`
  const first = await connectSqlite(url, {})
  const second = await connectSqlite(url, {})
  await sql`create table t (writer text)`.execute(first.db)
  const { waiting } = await first.db.transaction().execute(async (transaction) => {
    const started = { waiting: sql`insert into t values ('second')`.execute(second.db) }
    for (let turn = 0; turn < 50; turn += 1) await sql`insert into t values ('first')`.execute(transaction)
    return started
  })
  await waiting
  const { rows } =
    await sql`select writer, count(*) as rows, max(rowid) as last from t group by writer`.execute(first.db)
  assert.deepEqual(rows, [
    { writer: 'first', rows: 50, last: 50 },
    { writer: 'second', rows: 1, last: 51 },
  ])
  await first.close()
  await second.close()
})

test('a lock that never ends fails one write, and the next one succeeds', async () => {
  await using folder = await temporaryFolder()
  const file = join(folder.path, 'store.db')
  const store = await connectSqlite(`sqlite:${file}`, { lockMilliseconds: 30 })
  await sql`create table t (a)`.execute(store.db)
  const other = new DatabaseSync(file)
  other.exec('begin immediate')
  await assert.rejects(sql`insert into t values (1)`.execute(store.db), failure('unavailable', /locked/))
  await assert.rejects(
    store.db.transaction().execute(async () => undefined),
    failure('unavailable', /locked/),
  )
  other.exec('rollback')
  other.close()
  await sql`insert into t values (1)`.execute(store.db)
  await store.close()
})

test('a full disk fails a write with what to do, and the next one succeeds when there is room', async () => {
  await using folder = await temporaryFolder()
  const file = join(folder.path, 'store.db')
  const store = await connectSqlite(`sqlite:${file}`, {})
  await sql`create table t (a)`.execute(store.db)
  await sql`pragma max_page_count = 3`.execute(store.db)
  const fill = sql`insert into t values (${'x'.repeat(50_000)})`
  const full = failure('unavailable', /^the database cannot grow: the disk .* is full; make room on it/)
  await assert.rejects(fill.execute(store.db), full)
  const both = store.db.transaction().execute(async (transaction) => {
    await sql`insert into t values (1)`.execute(transaction)
    await fill.execute(transaction)
  })
  await assert.rejects(both, full)
  await sql`pragma max_page_count = 100`.execute(store.db)
  await fill.execute(store.db)
  const { rows } = await sql`select count(*) as rows from t`.execute(store.db)
  assert.deepEqual(rows, [{ rows: 1 }])
  await store.close()
})

test('an error of the disk is said to be one, and any other error stays as it is', () => {
  const ofDisk = Object.assign(new Error('disk I/O error'), { errcode: 778 })
  const told = runningFailure(ofDisk)
  assert.ok(failure('unavailable', /the disk of the server reports an error/)(told))
  const other = Object.assign(new Error('UNIQUE constraint failed'), { errcode: 2067 })
  assert.equal(runningFailure(other), other)
})

test('migrations do not wait for a full disk as for another instance', async () => {
  const store = await connectSqlite<object>('sqlite::memory:', {})
  await sql`pragma max_page_count = 1`.execute(store.db)
  const options = { log: createLog({ level: 'silent' }), now: () => 1 }
  const one = { name: 'one', up: async () => undefined }
  await assert.rejects(migrate(store, [one], options), failure('unavailable', /the disk .* is full/))
  await store.close()
})

test('text may hold NUL, and a lone surrogate becomes the replacement character', async () => {
  const store = await connectSqlite('sqlite::memory:', {})
  const { rows } = await sql`select ${'a\0b'} as nul, ${'\ud800'} as surrogate`.execute(store.db)
  assert.deepEqual(rows, [{ nul: 'a\0b', surrogate: '\ufffd' }])
  await store.close()
})

function failure(code: FailureCode, message: RegExp, name = ''): (error: unknown) => boolean {
  return (error) => {
    assert(error instanceof Failure)
    assert.equal(error.code, code)
    assert.match(error.message, message)
    assert(error.message.includes(name))
    return true
  }
}

async function modeOf(path: string): Promise<number> {
  return (await stat(path)).mode & 0o777
}

async function temporaryFolder(): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'postern-folder-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

/** Permissions mean nothing to root. */
async function asOrdinaryUser(action: () => Promise<void>): Promise<void> {
  const root = process.geteuid?.() === 0
  if (root) process.seteuid?.('nobody')
  try {
    await action()
  } finally {
    if (root) process.seteuid?.(0)
  }
}
