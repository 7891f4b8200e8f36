import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newSpoolId, storePrefix } from './spool-id.ts'

const prefix = (address: string, directory = '/srv'): string => storePrefix(newSpoolId(address, directory))

test('no two spools have one name', () => {
  assert.notEqual(newSpoolId('sqlite:a.db', '/srv'), newSpoolId('sqlite:a.db', '/srv'))
})

test('a name says which store its lines are for, however that is written', () => {
  assert.equal(prefix('sqlite:./a.db'), prefix('sqlite:/srv/a.db', '/elsewhere'))
  assert.notEqual(prefix('sqlite:./a.db'), prefix('sqlite:./b.db'))
  assert.notEqual(prefix('sqlite:./a.db'), prefix('sqlite:./a.db', '/elsewhere'))
  const base = prefix('postgres://postern:old@db.example/postern')
  assert.equal(prefix('postgres://postern:new@db.example/postern?sslmode=require'), base)
  assert.notEqual(prefix('postgres://postern:old@db.example/other'), base)
  assert.notEqual(prefix('postgres:///postern?host=/one'), prefix('postgres:///postern?host=/two'))
})
