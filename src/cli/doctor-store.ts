import { access } from 'node:fs/promises'
import { resolve } from 'node:path'
import { bad, good, left, type Outcome } from '../client/doctor/check.ts'
import { durationWords } from '../client/doctor/duration-words.ts'
import type { Examination } from '../client/doctor/examination.ts'
import { Failure } from '../failure/failure.ts'
import { createLog } from '../log/log.ts'
import { connect } from '../store/connect.ts'
import { migrations } from '../store/migrations.ts'
import type { Store, StoreSchema } from '../store/store.ts'
import type { LoadedConfig } from './load-config.ts'

/** Reads only: tables are made and changed by the server when it starts. */
export async function checkStore(examination: Examination, loaded: LoadedConfig): Promise<void> {
  const store = await examination.check('store', () => open(loaded))
  if (store === undefined) return
  try {
    await examination.check('migrations', () => compareMigrations(store))
    await examination.check('clock of the store', () => compareClocks(store, examination.now))
  } finally {
    await store.close()
  }
}

async function open({ config, directory }: LoadedConfig): Promise<Outcome<Store>> {
  const file = sqliteFile(config.store, directory)
  if (file === memory) return left('In memory: it is gone when the server stops')
  if (file !== undefined && !(await isThere(file))) return left(`${file} is made at the first start`)
  try {
    const store = await connect<StoreSchema>(config.store, { log: createLog({ level: 'silent' }), directory })
    return good(file ?? 'Postgres answers', store)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const { message } = error
    return bad({ cause: 'store', detail: message, cure: `Make the store available: ${message}.` })
  }
}

const memory = ':memory:'

function sqliteFile(address: string, directory: string): string | undefined {
  if (!address.startsWith('sqlite:')) return undefined
  const path = address.slice('sqlite:'.length)
  return path === memory ? memory : resolve(directory, path)
}

async function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  )
}

async function compareMigrations({ db }: Store): Promise<Outcome> {
  const tables = await db.introspection.getTables()
  if (!tables.some(({ name }) => name === 'postern_migrations'))
    return left('The store is empty: the first start makes its tables')
  const rows = await db.selectFrom('postern_migrations').select('name').orderBy('position').execute()
  const foreign = rows.find(({ name }, index) => migrations[index]?.name !== name)
  if (foreign !== undefined)
    return bad({
      cause: 'newer_store',
      detail: `The store has the migration "${foreign.name}", which this Postern does not know there: a newer version has changed it`,
      cure: 'Run that newer version, or name another store.',
    })
  const missing = migrations.length - rows.length
  return good(missing === 0 ? 'Up to date' : `${missing} to come, at the next start`)
}

const toleranceMs = 5000

async function compareClocks({ dialect, db }: Store, now: () => number): Promise<Outcome> {
  if (dialect === 'sqlite') return left('That of this machine')
  const before = now()
  const { time } = await db
    .selectNoFrom(({ fn }) => fn<string>('clock_timestamp', []).as('time'))
    .executeTakeFirstOrThrow()
  const aheadMs = Date.parse(time.replace(' ', 'T').replace(/\+00$/, 'Z')) - (before + now()) / 2
  if (Math.abs(aheadMs) <= toleranceMs) return good(`Right within ${toleranceMs / 1000} seconds`)
  return bad({
    cause: 'store_clock',
    detail: `The clock of the store is ${durationWords(Math.abs(aheadMs))} ${aheadMs > 0 ? 'ahead of' : 'behind'} that of this machine`,
    cure: 'Set the clocks of both machines right, and keep them so (NTP).',
  })
}
