import assert from 'node:assert/strict'
import { test } from 'node:test'
import { interpolate, protectReferences, restoreReferences, strayStandIn } from './environment.ts'

const env = { NAME: 'value', EMPTY: '', NESTED: `\${NAME}`, LONG_NAME: 'x' }

function text(given: string): unknown {
  const result = interpolate(given, env)
  return 'text' in result ? result.text : result
}

test('a reference is replaced by the variable, once and anywhere in a text', () => {
  assert.equal(text(`\${NAME}`), 'value')
  assert.equal(text(`a-\${NAME}-b-\${NAME}`), 'a-value-b-value')
  assert.equal(text(`\${NESTED}`), `\${NAME}`)
  assert.equal(text('no $reference, $ or {} here'), 'no $reference, $ or {} here')
})

test('a default stands in for a variable that is missing or empty', () => {
  assert.equal(text(`\${MISSING:-80}`), '80')
  assert.equal(text(`\${EMPTY:-80}`), '80')
  assert.equal(text(`\${NAME:-80}`), 'value')
  assert.equal(text(`\${MISSING:-}`), '')
  assert.equal(text(`\${MISSING:-http://h:1/?a=b}`), 'http://h:1/?a=b')
})

test('an empty variable without default is an empty text', () => {
  assert.equal(text(`\${EMPTY}`), '')
})

test('two dollars write a brace that is no reference', () => {
  assert.equal(text(`$\${NAME}`), `\${NAME}`)
  assert.equal(text(`$\${NAME} \${NAME}`), `\${NAME} value`)
})

test('a missing variable is named, with a similar one that is set', () => {
  assert.deepEqual(text(`\${MISSING}`), {
    complaint: 'needs the environment variable MISSING, which is not set',
  })
  assert.deepEqual(text(`\${LONG_NAEM}`), {
    complaint: 'needs the environment variable LONG_NAEM, which is not set; did you mean LONG_NAME?',
  })
})

test('what every object has is no variable', () => {
  for (const name of ['constructor', 'toString', '__proto__']) {
    assert.match(JSON.stringify(text(`\${${name}}`)), /which is not set/)
  }
})

test('a reference that does not end, or has no name, is refused', () => {
  for (const given of [`\${NAME`, `\${}`, `\${1A}`, `\${A-B}`, `\${A B}`, `x \${`]) {
    assert.match(JSON.stringify(text(given)), /starts no reference/, given)
  }
})

test('only a text that is one reference and nothing else is whole', () => {
  const isWhole = (given: string): unknown => Reflect.get(interpolate(given, env), 'isWhole')
  assert.deepEqual([`\${NAME}`, `\${X:-1}`, `\${NAME}\${NAME}`, ` \${NAME}`, '1'].map(isWhole), [
    true,
    true,
    false,
    false,
    false,
  ])
})

test('protecting references keeps every character in its place and is undone exactly', () => {
  const yaml = `a: [\${X}, \${Y:-{1,2}] # \${Z:-a: b}\nb: {c: $\${X}}`
  const protectedYaml = protectReferences(yaml)
  assert.equal(protectedYaml.length, yaml.length)
  assert.doesNotMatch(protectedYaml, /\{X|X\}/)
  assert.equal(restoreReferences(protectedYaml), yaml)
})

test('a stand-in that the file holds itself is found', () => {
  assert.equal(strayStandIn('abc'), -1)
  assert.equal(strayStandIn('ab\uFDD3c'), 2)
})
