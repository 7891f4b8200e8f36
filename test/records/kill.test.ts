import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { verifyChain } from '../../src/audit/verify-chain.ts'
import { createLog } from '../../src/log/log.ts'
import { openStore } from '../../src/store/open-store.ts'
import type { Store } from '../../src/store/store.ts'
import { type LocalIssuer, startLocalIssuer } from '../auth/local-issuer.ts'
import { freePort } from '../free-port.ts'
import { dice } from '../paging/dice.ts'
import { type Folder, freshFolder, type Postern, spawnPostern } from '../serving/spawn-postern.ts'
import { type Engine, type FreshDatabase, postgres, sqlite } from '../store/engines.ts'
import { type KillLoad, startLoad } from './kill-load.ts'

/** On each engine; `npm run soak` does fifty. */
const rounds = Number(process.env.POSTERN_KILLS ?? 4)

/** A gateway that can be started again and again in one place. */
interface Place extends AsyncDisposable {
  readonly folder: Folder
  readonly database: FreshDatabase
  readonly url: string
  readonly token: (surface: 'mcp' | 'api', subject: string) => string
  readonly start: () => Promise<Postern>
}

async function openPlace(engine: Engine, durability: 'grouped' | 'strict'): Promise<Place> {
  const [folder, database, port] = await Promise.all([freshFolder(), engine.create(), freePort()])
  const url = `http://127.0.0.1:${port}`
  const issuer = await startLocalIssuer({ audience: `${url}/mcp` })
  const settings = {
    server: { port },
    store: database.url,
    issuers: [{ issuer: issuer.issuer }],
    tools: { sources: [{ kind: 'builtin' }] },
    limits: { perPrincipalPerMinute: 1_000_000 },
    audit: { durability, spool: './spool' },
    log: { level: 'warn' },
  }
  await folder.write('postern.yaml', JSON.stringify(settings))
  return {
    folder,
    database,
    url,
    token: tokens(issuer, url),
    start: () => startReady(folder, url),
    [Symbol.asyncDispose]: async () => {
      await issuer.stop()
      await folder[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
    },
  }
}

/** One token a person: so they have one session each, whichever process they meet. */
function tokens(issuer: LocalIssuer, url: string): Place['token'] {
  const known = new Map<string, string>()
  const scope = 'keys:write sessions:read sessions:write'
  const claims = { scope, exp: Math.floor(Date.now() / 1000) + 3600 }
  return (surface, subject) => {
    const name = `${surface} ${subject}`
    const token = known.get(name) ?? issuer.token({ ...claims, sub: subject, aud: `${url}/${surface}` })
    known.set(name, token)
    return token
  }
}

async function startReady(folder: Folder, url: string): Promise<Postern> {
  const postern = spawnPostern(['serve'], { cwd: folder.path })
  for (;;) {
    const response = await fetch(`${url}/readyz`).catch(() => undefined)
    await response?.body?.cancel()
    if (response?.status === 200) return postern
    if (postern.child.exitCode !== null) throw new Error(`it ended: ${postern.out()}\n${postern.err()}`)
    await pause(15)
  }
}

async function kill(postern: Postern): Promise<void> {
  postern.child.kill('SIGKILL')
  assert.equal(await postern.ended(), 'SIGKILL')
}

/** Starts once more, waits until nothing of the dead is left, and stops as one should. */
async function settle({ folder, start }: Place): Promise<void> {
  await using last = await start()
  const spools = async (): Promise<number> => {
    const names = await readdir(join(folder.path, 'spool'))
    return names.filter((name) => name.endsWith('.log')).length
  }
  while ((await spools()) > 1) await pause(20)
  last.child.kill('SIGTERM')
  assert.equal(await last.ended(), 0, last.out())
}

async function withStore(place: Place, look: (store: Store) => Promise<void>): Promise<void> {
  const store = await openStore(place.database.url, { log: createLog({ level: 'silent' }) })
  try {
    await look(store)
  } finally {
    await store.close()
  }
}

async function requestIds({ db }: Store): Promise<readonly string[]> {
  const rows = await db.selectFrom('audit_events').select('body').execute()
  return rows.map(({ body }): string => JSON.parse(body).requestId)
}

/** Every answered request once; any other at most once. */
async function assertOnce(store: Store, { answered }: KillLoad): Promise<void> {
  const ids = (await requestIds(store)).filter((id) => /^r\d+\.\d+$/.test(id))
  const recorded = new Set(ids)
  assert.equal(recorded.size, ids.length, 'an event is there twice')
  const missing = [...answered].filter((id) => !recorded.has(id))
  assert.deepEqual(missing, [])
}

async function assertChain(store: Store): Promise<void> {
  const verdict = await verifyChain(store)
  assert.ok(verdict.ok, JSON.stringify(verdict))
}

async function assertKept({ db }: Store, { keys, ended }: KillLoad): Promise<void> {
  const kept = await db.selectFrom('api_keys').select('id').execute()
  const ids = new Set(kept.map(({ id }) => id))
  assert.deepEqual(
    [...keys].filter((id) => !ids.has(id)),
    [],
  )
  const revoked = await db.selectFrom('sessions').selectAll().where('revoked_at', 'is not', null).execute()
  const refused = await db.selectFrom('revoked_credentials').select('credential').execute()
  const credentials = new Set(refused.map(({ credential }) => credential))
  const gone = new Set(
    revoked
      .filter((one) => credentials.has(`${one.credential_kind}:${one.credential_id}`))
      .map(({ id }) => id),
  )
  assert.deepEqual(
    [...ended].filter((id) => !gone.has(id)),
    [],
  )
}

const seeds = { sqlite: 6, postgres: 7 } as const

describe('a gateway that is killed', { concurrency: 2 }, () => {
  for (const engine of [sqlite, postgres])
    test(`strict, on ${engine.dialect}: killed ${rounds} times, it has lost nothing that it answered`, async (t) => {
      await using place = await openPlace(engine, 'strict')
      const load: KillLoad = { answered: new Set(), keys: new Set(), ended: new Set() }
      const { below } = dice(seeds[engine.dialect])
      for (let round = 0; round < rounds; round += 1) {
        await using postern = await place.start()
        const answers = 1 + below(120)
        const { underWay, ended } = startLoad({ ...place, round, isStrict: true, answers }, load)
        await underWay
        await pause(below(10))
        await kill(postern)
        await ended
      }
      await settle(place)
      await withStore(place, async (store) => {
        await assertOnce(store, load)
        await assertChain(store)
        await assertKept(store, load)
      })
      const counts = { answered: load.answered.size, keys: load.keys.size, ended: load.ended.size }
      t.diagnostic(JSON.stringify(counts))
      // Otherwise the test would have shown nothing.
      assert.ok(
        counts.answered > rounds * 30 && counts.keys > rounds && counts.ended > rounds / 2,
        JSON.stringify(counts),
      )
    })

  for (const engine of [sqlite, postgres])
    test(`grouped, on ${engine.dialect}: the next start takes over what a killed one had not stored`, async () => {
      await using place = await openPlace(engine, 'grouped')
      const load: KillLoad = { answered: new Set(), keys: new Set(), ended: new Set() }
      await using postern = await place.start()
      const { underWay, ended } = startLoad({ ...place, round: 0, isStrict: false, answers: 500 }, load)
      await underWay
      await kill(postern)
      await ended
      await settle(place)
      await withStore(place, async (store) => {
        await assertOnce(store, load)
        await assertChain(store)
      })
    })
})
