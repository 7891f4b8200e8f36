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
  'IPv4 that a proxy writes as a mapped address is IPv4': [
    ['10.0.0.0/8'],
    '10.1.2.3',
    '::FFFF:203.0.113.9',
    '203.0.113.9',
  ],
  'a proxy that is named by a mapped address is passed over': [
    ['10.0.0.0/8'],
    '10.1.2.3',
    '203.0.113.9, ::ffff:10.9.9.9, ::ffff:a09:908',
    '203.0.113.9',
  ],
  'IPv6 in brackets without a port counts': [['10.0.0.0/8'], '10.1.2.3', '[2001:db8::1]', '2001:db8::1'],
  'who calls from among the proxies, through one, is named by it': [
    ['10.0.0.0/8'],
    '10.1.2.3',
    '10.7.7.7',
    '10.7.7.7',
  ],
  'spaces and tabs around it are left out': [['10.0.0.0/8'], '10.1.2.3', '\t203.0.113.9 ', '203.0.113.9'],
  'one proxy alone can be trusted, and its neighbour is not': [
    ['10.1.2.3'],
    '10.1.2.4',
    '203.0.113.9',
    '10.1.2.4',
  ],
  'IPv6 ranges work too': [['fd00::/8'], 'fd00::1', '203.0.113.9', '203.0.113.9'],
} as const

for (const [title, [proxies, address, forwarded, expected]] of Object.entries(cases)) {
  test(`the address of a caller: ${title}`, () => {
    assert.equal(createCallerAddress(proxies)(requestFrom(address, forwarded)).address, expected)
  })
}

const proxies = ['10.0.0.0/8']

for (const forwarded of ['203.0.113.9', '1.1.1.1, 203.0.113.9', 'junk, 203.0.113.9', ', 203.0.113.9'])
  test(`there is no doubt where a trusted proxy says ${JSON.stringify(forwarded)}`, () => {
    const { addressDoubt } = createCallerAddress(proxies)(requestFrom('10.1.2.3', forwarded))
    assert.equal(addressDoubt, undefined)
  })

for (const forwarded of [
  undefined,
  '',
  ' ',
  ',',
  '10.7.7.7',
  '10.7.7.7, 10.8.8.8',
  'unknown',
  '_hidden',
  'unix:',
  'localhost',
  '203.0.113.9, ',
  '203.0.113.9,,',
  '203.0.113.9, junk',
  '203.0.113.9, junk, 10.7.7.7',
  '203.0.113.9 10.7.7.7',
  '203.0.113',
  '203.0.113.09',
  '203.0.113.9/32',
  '203.0.113.9:',
  '203.0.113.9:http',
  '2001:db8::1::2',
  '[203.0.113.9',
  '"203.0.113.9"',
  'for=203.0.113.9',
  '0xcb007109',
  '3405803785',
])
  test(`whom a trusted proxy calls ${JSON.stringify(forwarded)} is not known`, () => {
    const { addressDoubt } = createCallerAddress(proxies)(requestFrom('10.1.2.3', forwarded))
    assert.equal(addressDoubt, 'unnamed-caller')
  })

for (const name of [
  'x-forwarded-for',
  'forwarded',
  'via',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
])
  test(`a request with ${name} from a stranger was passed on by a proxy that is not trusted`, () => {
    for (const trusted of [[], proxies])
      for (const value of ['', '10.0.0.1']) {
        const request = requestFrom('192.0.2.7')
        request.headers[name] = value
        const expected = { address: '192.0.2.7', addressDoubt: 'untrusted-proxy' }
        assert.deepEqual(createCallerAddress(trusted)(request), expected)
      }
  })

test('what a trusted proxy says in another header than X-Forwarded-For does not count', () => {
  const request = requestFrom('10.1.2.3')
  request.headers.forwarded = 'for=203.0.113.9'
  request.headers['x-real-ip'] = '203.0.113.9'
  const expected = { address: '10.1.2.3', addressDoubt: 'unnamed-caller' }
  assert.deepEqual(createCallerAddress(proxies)(request), expected)
})

test('who comes without a proxy is known, and a socket without an address is nobody', () => {
  const find = createCallerAddress(proxies)
  assert.deepEqual(find(requestFrom('192.0.2.7')), { address: '192.0.2.7', addressDoubt: undefined })
  assert.deepEqual(find(new IncomingMessage(new Socket())), { address: '', addressDoubt: undefined })
})
