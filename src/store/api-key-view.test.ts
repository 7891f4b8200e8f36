import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeApiKey } from './api-key-secret.ts'
import { apiKeyView } from './api-key-view.ts'

const time = 1_763_164_800_123_456
const second = 1_000_000

test('a key is shown with its state and its times, and without its hash', () => {
  const { row, key } = makeApiKey(
    { name: 'demo', principal: 'team', models: ['tiny', 'gemini-*'], expiresAt: time + second },
    time,
  )
  const view = apiKeyView({ ...row, last_used_at: time + 1000 }, time)
  assert.deepEqual(view, {
    id: row.id,
    name: 'demo',
    principal: 'team',
    hint: key.slice(-4),
    state: 'active',
    scopes: null,
    models: ['tiny', 'gemini-*'],
    addresses: null,
    created_at: '2025-11-15T00:00:00.123456Z',
    updated_at: '2025-11-15T00:00:00.123456Z',
    expires_at: '2025-11-15T00:00:01.123456Z',
    revoked_at: null,
    last_used_at: '2025-11-15T00:00:00.124456Z',
    replaced_by: null,
  })
  assert.ok(!JSON.stringify(view).includes(row.hash))
})

test('a key has expired from its last moment on, and a revoked one is revoked whatever its time', () => {
  const { row } = makeApiKey({ name: 'demo', expiresAt: time + second }, time)
  assert.equal(apiKeyView(row, time + second - 1).state, 'active')
  assert.equal(apiKeyView(row, time + second).state, 'expired')
  const revoked = { ...row, revoked_at: time + 1 }
  assert.equal(apiKeyView(revoked, time + 2 * second).state, 'revoked')
  assert.equal(apiKeyView(revoked, time).revoked_at, '2025-11-15T00:00:00.123457Z')
})
