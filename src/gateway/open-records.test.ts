import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Admission } from '../auth/admission.ts'
import type { Decision } from '../auth/decision.ts'
import type { Principal } from '../auth/principal.ts'
import { parseConfig } from '../config/parse-config.ts'
import { Failure } from '../failure/failure.ts'
import { createLog } from '../log/log.ts'
import { openStore } from '../store/open-store.ts'
import type { Store } from '../store/store.ts'
import { openRecords, type Records } from './open-records.ts'

const log = createLog({ level: 'silent' })

const principal: Principal = {
  issuer: 'https://login.example',
  subject: 'alice',
  clientId: undefined,
  scopes: new Set(),
  expiresAt: 1_800_000_000,
  credential: { kind: 'jwt', id: '0123456789abcdef' },
  dpopKeyThumbprint: undefined,
}

const decision: Decision = {
  time: 1_763_200_000_123_456,
  surface: 'tools',
  principal,
  action: 'tools/call',
  target: 'echo',
  needed: [],
  held: [],
  outcome: 'allow',
  reason: 'ok',
  status: 200,
  durationMs: 1,
  requestId: 'r-1',
  revision: '2026-07-28',
}

async function strictRecords(): Promise<{ readonly store: Store; readonly records: Records }> {
  const text = 'store: "sqlite::memory:"\naudit: { durability: strict }'
  const config = parseConfig(text, { file: 'postern.yaml', env: {} })
  const store = await openStore(config.store, { log })
  return { store, records: await openRecords({ config, store, log, directory: '.' }) }
}

test('strict: when the surface may answer, the decision is an event, a session and usage', async () => {
  const { store, records } = await strictRecords()
  await records.onDecision(decision)
  const event = await store.db.selectFrom('audit_events').selectAll().executeTakeFirstOrThrow()
  assert.equal(event.principal, 'alice')
  assert.equal(event.action, 'echo')
  const session = await store.db.selectFrom('sessions').selectAll().executeTakeFirstOrThrow()
  assert.equal(session.credential_id, principal.credential.id)
  const usage = await store.db.selectFrom('usage_hours').selectAll().executeTakeFirstOrThrow()
  assert.equal(usage.calls, 1)
  await records.close()
  await store.close()
})

test('who may call is asked behind the record, and its refusal is the answer', async () => {
  const { store, records } = await strictRecords()
  const asked: string[] = []
  const next: Admission = {
    request: ({ subject }, target) => void asked.push(`${subject} ${target?.name}`),
    target: () => {
      throw new Failure('limit-exceeded', 'too many')
    },
  }
  const target = { kind: 'tool', name: 'echo' } as const
  const admission = records.before(next)
  assert.equal(admission.request(principal, target), undefined)
  assert.deepEqual(asked, ['alice echo'])
  assert.throws(() => admission.target(principal, target), /too many/)
  assert.equal(records.before().request(principal), undefined)
  await records.close()
  await store.close()
})

test('strict: a store that takes no records refuses calls before they are made', async () => {
  const { store, records } = await strictRecords()
  await sql`alter table audit_events rename to gone`.execute(store.db)
  const told = Promise.all(Array.from({ length: 10_000 }, async () => records.onDecision(decision)))
  await setImmediate()
  const asked: string[] = []
  const next: Admission = { request: () => void asked.push('next'), target: () => undefined }
  const isRefusal = (error: unknown): boolean =>
    error instanceof Failure && error.reason === 'record_unavailable'
  assert.throws(() => records.before(next).request(principal), isRefusal)
  assert.deepEqual(asked, [])
  await sql`alter table gone rename to audit_events`.execute(store.db)
  await told
  void records.before(next).request(principal)
  assert.deepEqual(asked, ['next'])
  await records.close()
  await store.close()
})
