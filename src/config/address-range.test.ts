import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressRangeComplaint } from './address-range.ts'

test('an address or a range in CIDR notation is taken', () => {
  for (const text of ['10.0.0.7', '10.0.0.0/8', '192.0.2.1/32', '::1', 'fd00::/8', '2001:db8::1/128'])
    assert.equal(addressRangeComplaint(text), undefined, text)
})

test('what is neither is refused, with examples of what is', () => {
  for (const text of [
    '',
    'proxy',
    '10.0.0',
    '10.0.0.0/33',
    'fd00::/129',
    '10.0.0.0/',
    '/8',
    '10.0.0.0/8/8',
    'fe80::1%eth0',
  ])
    assert.match(addressRangeComplaint(text) ?? '', /IP address or a range, such as/, text)
})

test('a range of everyone is refused: whoever calls could then choose their address', () => {
  for (const text of ['0.0.0.0/0', '::/0']) assert.match(addressRangeComplaint(text) ?? '', /every address/)
})
