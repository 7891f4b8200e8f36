import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressBucket } from './address-bucket.ts'

test('IPv6 callers are counted by their /64, mapped IPv4 ones by their IPv4 address', () => {
  assert.deepEqual(
    [
      '2001:db8:1:2:3:4:5:6',
      '2001:DB8:1:2::1',
      '2001:db8::1',
      'fe80::1%eth0',
      '::1',
      '::ffff:192.0.2.1',
      '192.0.2.1',
    ].map(addressBucket),
    [
      '2001:db8:1:2::/64',
      '2001:db8:1:2::/64',
      '2001:db8:0:0::/64',
      'fe80:0:0:0::/64',
      '0:0:0:0::/64',
      '192.0.2.1',
      '192.0.2.1',
    ],
  )
})
