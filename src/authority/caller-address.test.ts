import assert from 'node:assert/strict'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { createCallerAddress } from './caller-address.ts'

function requestFrom(address: string, forwarded?: string): IncomingMessage {
  const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: address })
  const request = new IncomingMessage(socket)
  if (forwarded !== undefined) request.headers['x-forwarded-for'] = forwarded
  return request
}

const cases = {
  'without proxies what the caller claims does not count': [[], '192.0.2.7', '203.0.113.9', '192.0.2.7'],
  'a trusted proxy is believed': [['10.0.0.0/8'], '10.1.2.3', '203.0.113.9', '203.0.113.9'],
  'what lies before the first stranger does not count': [
    ['10.0.0.0/8'],
    '10.1.2.3',
    '1.1.1.1, 203.0.113.9, 10.9.9.9',
    '203.0.113.9',
  ],
  'a stranger is not believed even beside trusted proxies': [
    ['10.0.0.0/8'],
    '192.0.2.7',
    '10.0.0.1',
    '192.0.2.7',
  ],
  'a proxy that names nobody is the caller itself': [['10.0.0.0/8'], '10.1.2.3', undefined, '10.1.2.3'],
  'what is no address does not count': [['10.0.0.0/8'], '10.1.2.3', 'unknown', '10.1.2.3'],
  'a port behind an IPv4 address is left out': [
    ['10.0.0.0/8'],
    '10.1.2.3',
    '203.0.113.9:5555',
    '203.0.113.9',
  ],
  'a port behind an IPv6 address is left out': [
    ['10.0.0.0/8'],
    '10.1.2.3',
    '[2001:db8::1]:5555',
    '2001:db8::1',
  ],
  'IPv4 on a socket for both families is IPv4': [
    ['10.1.2.3'],
    '::ffff:10.1.2.3',
    '2001:db8::1',
    '2001:db8::1',
  ],
  'IPv6 ranges work too': [['fd00::/8'], 'fd00::1', '203.0.113.9', '203.0.113.9'],
} as const

for (const [title, [proxies, address, forwarded, expected]] of Object.entries(cases)) {
  test(`the address of a caller: ${title}`, () => {
    assert.equal(createCallerAddress(proxies)(requestFrom(address, forwarded)), expected)
  })
}
