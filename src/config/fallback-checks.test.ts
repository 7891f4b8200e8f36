import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../failure/failure.ts'
import { parseConfig } from './parse-config.ts'

function problems(fallbacks: Readonly<Record<string, readonly unknown[]>>): string[] {
  const models = Object.entries(fallbacks).map(([name, all]) => ({ name, engine: 'story', fallbacks: all }))
  try {
    parseConfig(JSON.stringify({ models }), { file: 'f', env: {} })
    return []
  } catch (cause) {
    assert.ok(cause instanceof Failure)
    return cause.message.split('\n').map((line) => line.replace(/^f:[\d:]+ /, ''))
  }
}

test('models may stand in for each other in a row', () => {
  assert.deepEqual(problems({ a: ['b', 'c'], b: ['c'], c: [], d: ['a'] }), [])
})

test('a fallback that is no model is refused, and the message names those there are', () => {
  assert.deepEqual(problems({ a: ['x'], b: [] }), [
    'models[0].fallbacks[0] must name a model; the models are a, b',
  ])
})

test('a model does not stand in for itself', () => {
  assert.deepEqual(problems({ a: ['a'] }), [
    'models[0].fallbacks[0] must name another model, and this is the model itself',
  ])
})

test('a circle is refused once, however long it is', () => {
  assert.deepEqual(problems({ a: ['b'], b: ['a'] }), [
    'models[1].fallbacks[0] leads back to b, through the fallbacks of a',
  ])
  assert.deepEqual(problems({ a: ['b'], b: ['c'], c: ['d', 'a'], d: [] }), [
    'models[2].fallbacks[1] leads back to c, through the fallbacks of a',
  ])
})

test('a fallback stands once', () => {
  assert.deepEqual(problems({ a: ['b', 'b'], b: [] }), [
    'models[0].fallbacks[1] must be unique, and stands there already',
  ])
})

test('what was refused already is not complained about once more', () => {
  assert.equal(problems({ a: [7], b: [] }).length, 1)
})
