import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keyHash, makeApiKey, makeSuccessor } from './api-key-secret.ts'

const time = 1_763_164_800_000_000

test('a key holds 256 random bits, and its row only their hash and four characters of them', () => {
  const { key, row } = makeApiKey({ name: 'demo' }, time)
  assert.match(key, /^postern_[A-Za-z0-9_-]{43}$/)
  assert.notEqual(makeApiKey({ name: 'demo' }, time).key, key)
  assert.equal(row.hash, keyHash(key))
  assert.equal(row.hint, key.slice(-4))
  assert.ok(!JSON.stringify(row).includes(key.slice('postern_'.length, -4)))
})

test('the name of a key is the SHA-256 of the whole of it, in hex', () => {
  assert.equal(keyHash('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})

test('what is given twice is kept once, and what is left out is null', () => {
  const { row } = makeApiKey({ name: 'demo', models: ['tiny', 'gemini-*', 'tiny'] }, time)
  assert.deepEqual([row.models, row.scopes, row.addresses], ['tiny gemini-*', null, null])
  assert.deepEqual([row.principal, row.expires_at], ['demo', null])
})

test('a successor has the rights of the old key and as long a life, but a secret and an id of its own', () => {
  const order = { name: 'demo', principal: 'team', scopes: ['a', 'b'], models: ['m'], addresses: ['::1'] }
  const old = makeApiKey({ ...order, expiresAt: time + 500 }, time)
  const { row, key } = makeSuccessor(old.row, time + 400, time + 400)
  const { id, hash, hint, ...rest } = row
  const { id: _, hash: __, hint: ___, ...expected } = old.row
  const created = time + 400
  assert.deepEqual(rest, {
    ...expected,
    created_at: created,
    updated_at: created,
    expires_at: created + 500,
  })
  const early = makeSuccessor(old.row, time + 400, time - 100)
  assert.equal(early.row.expires_at, time + 500, 'made by a clock that was fast')
  assert.ok(id !== old.row.id && hash !== old.row.hash && hint === key.slice(-4) && key !== old.key)
})
