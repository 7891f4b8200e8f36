import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedComplaint, storeComplaint } from './address-rules.ts'

test('a store is a SQLite file or a Postgres URL', () => {
  const files = ['sqlite:./data/postern.db', 'sqlite:/var/lib/postern.db', 'sqlite::memory:']
  const servers = [
    'postgres://u:p%40ss@db:5432/x?sslmode=require',
    'postgresql://db/x',
    'postgres:///x?host=/run',
  ]
  for (const text of [...files, ...servers]) assert.equal(storeComplaint(text), undefined, text)
  for (const text of [
    '',
    'sqlite:',
    'sqlite: ',
    './postern.db',
    'mysql://db/x',
    'postgres:db',
    'Postgres//db',
  ]) {
    assert.match(storeComplaint(text) ?? '', /must be sqlite:PATH or postgres:/, text)
  }
  assert.match(storeComplaint('sqlite:///var/x.db') ?? '', /right after "sqlite:"/)
})

test('a shared server is Redis or Valkey', () => {
  for (const text of ['redis://127.0.0.1:6379', 'rediss://:pass@cache:6380/1', 'valkey://cache']) {
    assert.equal(sharedComplaint(text), undefined, text)
  }
  for (const text of ['', 'redis:', 'redis://', 'http://cache', '127.0.0.1:6379', 'memcached://x']) {
    assert.match(sharedComplaint(text) ?? '', /must be redis:/, text)
  }
})

test('only the number of a database may follow a shared server', () => {
  for (const text of ['redis://cache/', 'redis://cache/0', 'valkey://cache:6379/15'])
    assert.equal(sharedComplaint(text), undefined, text)
  for (const text of ['redis://cache/limits', 'redis://cache/1/2', 'redis://cache/-1'])
    assert.match(sharedComplaint(text) ?? '', /only the number of a database may follow/, text)
})

test('a password with special characters must be percent-encoded, and is not repeated', () => {
  for (const password of ['p/ss', 'p#ss', 'p?ss', '1/ss', 'p%ss:p@ss/']) {
    const complaint = storeComplaint(`postgres://u:${password}@db/x`) ?? ''
    assert.match(complaint, /percent-encode special characters/, password)
    assert.equal(complaint.includes(password), false)
  }
})
