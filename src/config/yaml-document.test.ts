import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readYaml } from './yaml-document.ts'

function complaints(text: string): string[] {
  const document = readYaml(text)
  return document.problems.map(({ offset, message }) => {
    const { line, column } = document.position(offset)
    return `${line}:${column} ${message}`
  })
}

test('plain YAML with anchors has no problems', () => {
  assert.deepEqual(complaints('a: &x { b: 1 }\nc: *x\n'), [])
  assert.deepEqual(complaints(''), [])
  assert.deepEqual(complaints('\uFEFF# nothing but a comment\r\n'), [])
})

test('broken YAML is named with its place, and the text at fault is not repeated', () => {
  assert.match(String(complaints('a: 1\nb: [1, 2\n')), /^3:1 not valid YAML: Flow sequence/)
  const [complaint = ''] = complaints('a: b\n} hunter2-secret')
  assert.match(complaint, /^2:1 not valid YAML: Unexpected/)
  assert.doesNotMatch(complaint, /hunter2/)
})

test('a key that stands twice is refused where it stands again, at any depth', () => {
  assert.deepEqual(complaints('a: 1\nb: { c: 1, "c": 2 }\na: 2\n'), [
    '3:1 the key "a" stands twice in one mapping; keep one of them',
    '2:12 the key "c" stands twice in one mapping; keep one of them',
  ])
  assert.deepEqual(complaints('{ a:hunter2, a:hunter2 }'), [
    '1:14 the key "a…" stands twice in one mapping; keep one of them',
  ])
})

test('tags are refused, standard ones too', () => {
  for (const tag of ['!secret', '!!str', '!!binary', '!!js/function', '!']) {
    assert.match(String(complaints(`a: ${tag} x`)), /tags are not supported/, tag)
  }
  assert.match(String(complaints('a: !!set {x}')), /tags are not supported/)
  assert.match(String(complaints('a: !!int abc')), /tags are not supported/)
})

test('a second document and another version of YAML are refused', () => {
  assert.deepEqual(complaints('a: 1\n---\nb: 2\n'), [
    '2:1 a second document starts here; the configuration is one document',
  ])
  assert.deepEqual(complaints('%YAML 1.1\n---\na: yes\n'), [
    '1:1 the file must be YAML 1.2; remove its %YAML line',
  ])
})

test('an alias without an anchor before it is refused, and its name is not repeated', () => {
  const message = 'an alias (*name) has no anchor before it; put a text that starts with * in quotes'
  assert.deepEqual(complaints('a: *x\nb: &x 1\n'), [`1:4 ${message}`])
  assert.deepEqual(complaints('credential: *kT9vQ2xWm4Zp8'), [`1:13 ${message}`])
})

test('a secret that YAML reads as something else is not repeated', () => {
  const secret = 'kT9vQ2xWm4Zp8'
  const marks = ['*', '&', '!', '|', '>', '%', '@', '`', '"', "'", '{', '[', '? ', '- ', ', ', '#', '"\\']
  for (const mark of marks) {
    for (const text of [
      `a:\n  b: ${mark}${secret}\nc: 1`,
      `a: { b: ${mark}${secret} }`,
      `a: [${mark}${secret}: *x]`,
    ]) {
      assert.doesNotMatch(complaints(text).join('\n'), /kT9v|vQ2x|Wm4Z/, text)
    }
  }
})

test('an alias stands for the latest anchor of its name', () => {
  const document = readYaml('a: &x 1\nb: *x\nc: &x 2\nd: *x\n')
  assert.deepEqual(Array.from(document.anchored.values(), String), ['1', '2'])
})

test('a file too large, too deep or not of text is refused without harm', () => {
  assert.match(String(complaints(`a: ${'x'.repeat(1_100_000)}`)), /larger than 1 MiB/)
  assert.match(String(complaints('['.repeat(50_000))), /nested too deeply|not valid YAML/)
  assert.match(String(complaints(`a: ${'{a: '.repeat(20_000)}1${'}'.repeat(20_000)}`)), /nested too deeply/)
  assert.deepEqual(complaints('a: 1\nb: \uFDD0'), [
    '2:4 a noncharacter (U+FDD0 to U+FDD6) is not text; remove it',
  ])
})
