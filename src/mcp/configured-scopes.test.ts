import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configuredScopes, strayNames } from './configured-scopes.ts'

const open = { '*': [] }

test('a tool is found by the name that is served, without its prefix, and as its source names it', () => {
  for (const key of ['u_files_delete', 'files_delete', 'files/delete', 'files delete'])
    assert.deepEqual(
      configuredScopes({ source: 'u', scopes: { ...open, [key]: ['admin'] } }, 'u_files_delete'),
      ['admin'],
    )
})

test('where several names mean one tool, all their scopes are needed', () => {
  const scopes = { ...open, 'files/delete': ['admin'], files_delete: ['files'] }
  assert.deepEqual(configuredScopes({ source: 'u', scopes }, 'u_files_delete'), ['admin', 'files'])
  const both = { u_pay: ['pay'], pay: ['bank'] }
  assert.deepEqual(configuredScopes({ source: 'u', scopes: both }, 'u_pay'), ['pay', 'bank'])
})

test('what is not named falls to *, and without it to nothing', () => {
  assert.deepEqual(configuredScopes({ source: 'u', scopes: { '*': ['use'] } }, 'u_a'), ['use'])
  assert.equal(configuredScopes({ source: 'u', scopes: {} }, 'u_a'), undefined)
  assert.equal(configuredScopes({ source: 'u', scopes: {} }, 'toString'), undefined)
})

test('a name as the source has it is not taken for a served one', () => {
  const scopes = { '*': ['admin'], 'files/read': ['user'] }
  const needed = ['files_files_read', 'files_read'].map((tool) =>
    configuredScopes({ source: 'files', scopes }, tool),
  )
  assert.deepEqual(needed, [['user'], ['admin']])
})

test('a name that means no tool is told', () => {
  const scopes = { ...open, 'files/delete': [], 'files/delet': [], constructor: [] }
  assert.deepEqual(strayNames({ source: 'u', scopes }, [{ name: 'u_files_delete' }]), [
    'files/delet',
    'constructor',
  ])
})
