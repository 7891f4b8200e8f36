import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { sql } from 'kysely'
import { assertWithin } from '../../test/engines/own-time.ts'
import { recordingLog } from '../../test/serving/plain-server.ts'
import { type Engine, forEachEngine, openDatabase, postgres } from '../../test/store/engines.ts'
import { migrations } from '../store/migrations.ts'
import type { Store, StoreSchema } from '../store/store.ts'
import { openRevocations, type Revocations, type RevocationsOptions } from './revocations.ts'

interface Setting extends AsyncDisposable {
  readonly store: Store
  readonly lines: readonly Readonly<Record<string, unknown>>[]
  readonly open: (options?: Partial<RevocationsOptions>) => Revocations
}

/** A database, and lists of what was revoked that are closed with it. */
async function setting(engine: Engine): Promise<Setting> {
  const database = await engine.create()
  const store = await openDatabase<StoreSchema>(database.url, migrations)
  const { log, lines } = recordingLog()
  const opened: Revocations[] = []
  return {
    store,
    lines,
    open: (options = {}) => {
      const revocations = openRevocations({ store, log, ...options })
      opened.push(revocations)
      return revocations
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(opened.map((revocations) => revocations.close()))
      await store.close()
      await database[Symbol.asyncDispose]()
    },
  }
}

const withToken = (id: string) => ({ credential: { kind: 'jwt', id } }) as const
const quick = { spacing: 5, patience: 3000, staleAfter: 10_000 }

async function revoke(store: Store, id: string): Promise<void> {
  const revoked_at = Date.now() * 1000
  const row = { credential: `jwt:${id}`, revoked_at, expires_at: revoked_at + 60_000_000 }
  await store.db.insertInto('revoked_credentials').values(row).execute()
}

async function untilRevoked(revocations: Revocations, id: string): Promise<void> {
  while (!(await revocations.isRevoked(withToken(id)))) await turn()
}

const rename = (store: Store, from: string, to: string): Promise<void> =>
  store.db.schema.alterTable(from).renameTo(to).execute()

forEachEngine((engine) => {
  test('what was revoked before the start is refused from the first question on, which alone waits', async () => {
    await using parts = await setting(engine)
    await revoke(parts.store, 'old')
    const revocations = parts.open()
    assert.equal(await revocations.isRevoked(withToken('old')), true)
    assert.equal(revocations.isRevoked(withToken('old')), true)
    assert.equal(revocations.isRevoked(withToken('other')), false)
  })

  test('what one instance revokes, all instances refuse within a second', async () => {
    await using parts = await setting(engine)
    const instances = [parts.open(), parts.open(), parts.open()]
    for (const one of instances) assert.equal(await one.isRevoked(withToken('mine')), false)
    await revoke(parts.store, 'mine')
    await assertWithin(1000, Promise.all(instances.map((one) => untilRevoked(one, 'mine'))))
  })

  test('a store that does not answer makes it unknown after ten seconds, logged once, until it answers again', async () => {
    await using parts = await setting(engine)
    const clock = { elapsed: 0 }
    const revocations = parts.open({ elapsed: () => clock.elapsed, timing: quick })
    await revocations.isRevoked(withToken('a'))
    await rename(parts.store, 'revoked_credentials', 'gone')
    while (parts.lines.length === 0) await turn()
    clock.elapsed += 10_000
    assert.equal(revocations.isRevoked(withToken('a')), false)
    clock.elapsed += 1
    assert.throws(() => revocations.isRevoked(withToken('a')), {
      code: 'unavailable',
      reason: 'store_unavailable',
    })
    assert.equal(parts.lines.length, 1)
    assert.equal(parts.lines[0]?.level, 'error')
    clock.elapsed += 60_000
    while (parts.lines.length === 1) await turn()
    await rename(parts.store, 'gone', 'revoked_credentials')
    await revoke(parts.store, 'a')
    for (;;) {
      try {
        await untilRevoked(revocations, 'a')
        break
      } catch {
        await turn()
      }
    }
  })

  test('a store that never answered is no empty list', async () => {
    await using parts = await setting(engine)
    await rename(parts.store, 'revoked_credentials', 'gone')
    const revocations = parts.open()
    await assert.rejects(async () => revocations.isRevoked(withToken('a')), { code: 'unavailable' })
    assert.throws(() => revocations.isRevoked(withToken('a')), { code: 'unavailable' })
  })

  test('a wall clock that steps neither makes the list stale nor keeps it in force', async () => {
    await using parts = await setting(engine)
    const clock = { now: Date.now(), elapsed: 0 }
    const revocations = parts.open({ now: () => clock.now, elapsed: () => clock.elapsed, timing: quick })
    assert.equal(await revocations.isRevoked(withToken('a')), false)
    for (const step of [3_600_000, -7_200_000]) {
      clock.now += step
      assert.equal(revocations.isRevoked(withToken('a')), false)
    }
    await revoke(parts.store, 'a')
    await untilRevoked(revocations, 'a')
    await rename(parts.store, 'revoked_credentials', 'gone')
    clock.now -= 86_400_000
    clock.elapsed += 20_000
    assert.throws(() => revocations.isRevoked(withToken('a')), { code: 'unavailable' })
  })
})

test('readings that stall do not pile up, and the list is current once one is answered', async () => {
  await using parts = await setting(postgres)
  const revocations = parts.open({ timing: { ...quick, patience: 20 } })
  await revocations.isRevoked(withToken('a'))
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const holding = parts.store.db.transaction().execute(async (transaction) => {
    await sql`lock table revoked_credentials in access exclusive mode`.execute(transaction)
    locked.resolve()
    await held
    await sql`insert into revoked_credentials values ('jwt:a', 1, null)`.execute(transaction)
  })
  await locked.promise
  const waiting = async (): Promise<unknown> => {
    const { rows } = await sql<{ count: number }>`select count(*) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(parts.store.db)
    return rows[0]?.count
  }
  while ((await waiting()) !== 3) await turn()
  // Each of these takes longer than the pause before another reading would have begun.
  for (let look = 0; look < 20; look += 1) {
    await sql`select pg_sleep(0.01)`.execute(parts.store.db)
    assert.equal(await waiting(), 3)
  }
  letGo()
  await holding
  await untilRevoked(revocations, 'a')
})
