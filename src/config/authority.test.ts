import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatAuthority, parseAuthority } from './authority.ts'

const spellings = [
  ['gate.example', 'gate.example'],
  ['GATE.Example:8443', 'gate.example:8443'],
  ['gate.example.', 'gate.example'],
  ['gate.example.:80', 'gate.example:80'],
  ['127.0.0.1:08080', '127.0.0.1:8080'],
  ['[::1]:8080', '[::1]:8080'],
  ['[0:0:0:0:0:0:0:1]', '[::1]'],
  ['[::FFFF:127.0.0.1]', '[::ffff:7f00:1]'],
  ['my_host-1', 'my_host-1'],
  ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
] as const

for (const [text, normal] of spellings)
  test(`${text} is ${normal}`, () => {
    const authority = parseAuthority(text)
    assert.equal(authority && formatAuthority(authority), normal)
  })

const malformed = [
  '',
  ' ',
  ':8080',
  'gate.example:',
  'gate.example:0',
  'gate.example:65536',
  'gate.example:80:80',
  'gate.example:8o',
  'gate.example:-1',
  'user@gate.example',
  'localhost:8080@evil.example',
  'gate.example/path',
  'gate.example?x',
  'gate.example#x',
  'gate.example, evil.example',
  'gate example',
  'gate.example\t',
  'gate.example\u0000',
  'gate..',
  '.gate.example',
  '-gate.example',
  'bücher.example',
  'gate%2eexample',
  '::1',
  '[::1',
  '[::1]x',
  '[fe80::1%25eth0]',
  '[1::2::3]',
  '[::1].',
  'x'.repeat(261),
]

for (const text of malformed)
  test(`${JSON.stringify(text.slice(0, 40))} is not a host`, () =>
    assert.equal(parseAuthority(text), undefined))
