import assert from 'node:assert/strict'
import { isIPv6 } from 'node:net'
import { test } from 'node:test'
import { addressList, checkKeyOrder, type KeyOrder } from './api-key-order.ts'

const now = 1_763_164_800_000_000

const good: readonly (readonly [title: string, order: KeyOrder])[] = [
  ['a name alone', { name: 'demo' }],
  ['the e-mail of a person', { name: 'ci', principal: 'ada@iam.example' }],
  ['a name in any script, with spaces inside', { name: 'Große Küche 厨房' }],
  ['a principal of another kind', { name: 'ci', principal: 'serviceAccount:robot@demo.iam.postern.example' }],
  [
    'every right spelled out',
    {
      name: 'ci',
      scopes: ['https://www.googleapis.com/auth/cloud-platform'],
      models: ['tiny', 'gemini-*', '*'],
      addresses: ['10.0.0.0/8', '192.0.2.7', '2001:db8::/32', '::1', '::ffff:10.0.0.0/104', '0.0.0.0/0'],
      expiresAt: now + 1,
    },
  ],
]

for (const [title, order] of good) {
  test(`a key may be ordered with ${title}`, () => {
    assert.doesNotThrow(() => checkKeyOrder(order, now))
  })
}

const bad: readonly (readonly [title: string, field: string, order: Partial<KeyOrder>])[] = [
  ['an empty name', 'name', { name: '' }],
  ['a name of spaces', 'name', { name: '   ' }],
  ['a name that ends with a space', 'name', { name: 'demo ' }],
  ['a name with a line break', 'name', { name: 'de\nmo' }],
  ['a name with a zero byte', 'name', { name: 'de\0mo' }],
  ['a name that turns the text around', 'name', { name: 'de\u202Emo' }],
  ['a name with half a character', 'name', { name: 'demo\uD800' }],
  ['a name of 101 characters', 'name', { name: 'x'.repeat(101) }],
  ['an empty principal', 'principal', { principal: '' }],
  ['the e-mail of a service account', 'principal', { principal: 'robot@demo.iam.postern.example' }],
  ['such an e-mail in capitals', 'principal', { principal: 'Robot@Demo.IAM.postern.example' }],
  ['such an e-mail at an address', 'principal', { principal: 'robot@demo.iam.[::1]' }],
  ['such an e-mail for a name', 'name', { name: 'robot@demo.iam.127.0.0.1' }],
  ['two scopes in one', 'scopes', { scopes: ['a b'] }],
  ['an empty scope', 'scopes', { scopes: [''] }],
  ['a scope with a quote', 'scopes', { scopes: ['a"b'] }],
  ['no scope at all', 'scopes', { scopes: [] }],
  ['no model at all', 'models', { models: [] }],
  ['two models in one', 'models', { models: ['a b'] }],
  ['a model with a slash', 'models', { models: ['models/tiny'] }],
  ['an empty model', 'models', { models: ['tiny', ''] }],
  ['101 models', 'models', { models: Array.from({ length: 101 }, (_, index) => `m${index}`) }],
  ['no address at all', 'addresses', { addresses: [] }],
  ['a host name', 'addresses', { addresses: ['localhost'] }],
  ['a range that is too narrow', 'addresses', { addresses: ['10.0.0.0/33'] }],
  ['an IPv6 range that is too narrow', 'addresses', { addresses: ['::/129'] }],
  ['a range below nothing', 'addresses', { addresses: ['10.0.0.0/-1'] }],
  ['a range without a width', 'addresses', { addresses: ['10.0.0.0/'] }],
  ['a range with a mask', 'addresses', { addresses: ['10.0.0.0/255.0.0.0'] }],
  ['a range with a padded width', 'addresses', { addresses: ['10.0.0.0/08'] }],
  ['an address with leading zeros', 'addresses', { addresses: ['010.0.0.1'] }],
  ['an address with a zone', 'addresses', { addresses: ['fe80::1%eth0'] }],
  ['an address with a space', 'addresses', { addresses: ['10.0.0.1 '] }],
  ['two addresses in one', 'addresses', { addresses: ['10.0.0.1 10.0.0.2'] }],
  ['a time that is now', 'expiresAt', { expiresAt: now }],
  ['a time that is no number', 'expiresAt', { expiresAt: Number.NaN }],
  ['half a microsecond', 'expiresAt', { expiresAt: now + 1.5 }],
  ['a time without end', 'expiresAt', { expiresAt: Number.POSITIVE_INFINITY }],
]

for (const [title, field, order] of bad) {
  test(`an order with ${title} is refused, and the message names ${field}`, () => {
    assert.throws(() => checkKeyOrder({ name: 'demo', ...order }, now), {
      code: 'invalid-request',
      field,
      message: new RegExp(`^${field} of an API key must`),
    })
  })
}

test('a list of ranges holds what lies in them, and an IPv4 range its mapped addresses', () => {
  const list = addressList(['10.0.0.0/8', '192.0.2.7', '2001:db8::/32', '::ffff:172.16.0.0/108'])
  const check = (address: string): boolean => list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
  const inside = [
    '10.255.0.1',
    '192.0.2.7',
    '2001:db8:ffff::1',
    '::ffff:10.1.2.3',
    '::ffff:a01:203',
    '172.31.9.9',
  ]
  const outside = [
    '11.0.0.1',
    '192.0.2.8',
    '2001:db9::1',
    '::ffff:11.0.0.1',
    '172.32.0.1',
    '::1',
    '::10.0.0.1',
  ]
  assert.deepEqual(
    inside.filter((address) => !check(address)),
    [],
  )
  assert.deepEqual(outside.filter(check), [])
})

test('what is no range matches nothing', () => {
  assert.equal(addressList(['everywhere', 'fe80::1%eth0']).check('10.0.0.1', 'ipv4'), false)
})
