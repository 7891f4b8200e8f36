import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isPublicAddress } from './public-address.ts'

const refused = {
  'this host': ['0.0.0.0', '0.1.2.3', '::'],
  loopback: ['127.0.0.1', '127.255.255.254', '::1', '0:0:0:0:0:0:0:1'],
  private: ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
  'carrier-grade NAT': ['100.64.0.1', '100.127.255.255'],
  'link-local': ['169.254.0.1', 'fe80::1', 'fe80::1%eth0', 'febf::1'],
  metadata: ['169.254.169.254', '168.63.129.16', '100.100.100.200', '192.0.0.192', 'fd00:ec2::254'],
  'unique-local': ['fc00::1', 'fdff:ffff::1'],
  'site-local': ['fec0::1'],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1'],
  reserved: ['240.0.0.1', '255.255.255.255', '192.0.0.1', '198.18.0.1', '5f00::1', '100::1', '4000::1'],
  documentation: ['192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1'],
  'mapped and compatible IPv4': [
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '::ffff:a00:1',
    '::127.0.0.1',
    '::ffff:0:808:808',
  ],
  NAT64: ['64:ff9b::7f00:1', '64:ff9b::808:808', '64:ff9b:1::a00:1'],
  '6to4': ['2002:7f00:1::1', '2002:808:808::1', '192.88.99.1'],
  Teredo: ['2001::1', '2001:0:7f00:1::1'],
  'not an address': [
    '',
    'localhost',
    '127.1',
    '0x7f000001',
    '2130706433',
    '127.0.0.1 ',
    '[::1]',
    '1.1.1.1:80',
  ],
}

for (const [kind, addresses] of Object.entries(refused)) {
  test(`an address is not public: ${kind}`, () => {
    assert.deepEqual(addresses.filter(isPublicAddress), [])
  })
}

test('addresses of the public Internet are public, those next to a reserved block too', () => {
  const open = [
    '8.8.8.8',
    '1.1.1.1',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '223.255.255.255',
    '2606:4700:4700::1111',
    '2001:4860:4860::8888',
    '2003::1',
  ]
  assert.deepEqual(
    open.filter((address) => !isPublicAddress(address)),
    [],
  )
})
