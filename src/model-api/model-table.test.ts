import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createGeminiEngine } from '../engines/gemini-engine.ts'
import { createModelTable, type ModelTable, type ServedModel } from './model-table.ts'

function model(name: string): ServedModel {
  const engine = createGeminiEngine({
    name,
    model: name,
    apiKey: 'k',
    connectSeconds: 1,
    firstByteSeconds: 1,
    idleSeconds: 1,
    retries: 0,
  })
  return { name, engine, fallbacks: [] }
}

function tableOf(names: readonly string[], aliases: Readonly<Record<string, string>> = {}): ModelTable {
  return createModelTable(names.map(model), aliases)
}

test('a model is found by its own name before any alias', () => {
  const table = tableOf(['one', 'two'], { '*': 'two', one: 'two' })
  assert.equal(table.find('one')?.name, 'one')
  assert.equal(table.find('something')?.name, 'two')
})

test('the alias that says most wins, and an exact one says everything', () => {
  const aliases = { '*': 'any', 'gemini-*': 'family', 'gemini-2.5-*': 'version', 'gemini-2': 'exact' }
  const table = tableOf(['any', 'family', 'version', 'exact'], aliases)
  for (const [name, found] of [
    ['gpt', 'any'],
    ['gemini-1', 'family'],
    ['gemini-2.5-pro', 'version'],
    ['gemini-2', 'exact'],
  ] as const) {
    assert.equal(table.find(name)?.name, found)
    assert.equal(table.find(name)?.name, found, 'and again')
  }
})

test('what nothing leads to is not found, however often it is asked for', () => {
  const table = tableOf(['one'], { 'gemini-*': 'one', dangling: 'gone' })
  for (const name of ['other', 'constructor', '__proto__', 'dangling', '']) {
    assert.equal(table.find(name), undefined)
    assert.equal(table.find(name), undefined)
  }
})

test('the names that callers make up are not remembered without end', () => {
  const table = tableOf(['one'], { 'gemini-*': 'one' })
  for (let count = 0; count < 5000; count += 1) table.find(`gemini-${count}`)
  assert.equal(table.find('gemini-4999')?.name, 'one')
  assert.equal(table.find('unknown'), undefined)
})

test('all models are in the order of their names', () => {
  const names = tableOf(['b', 'a', 'c']).all.map(({ name }) => name)
  assert.deepEqual(names, ['a', 'b', 'c'])
})
