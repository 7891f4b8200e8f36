import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sealingSecret, workplace } from './call-postern.ts'

const list = ['authority', 'keys', 'list']
const rotate = ['authority', 'keys', 'rotate']

test('before the first start there is no key, and the list says how one comes about', async () => {
  await using place = await workplace()
  assert.match((await place.call(list)).out, /no key yet: the authority makes one when it starts/)
  assert.deepEqual(await place.json(list), { keys: [] })
})

test('a rotation adds a key that signs later, and gives the old one an end', async () => {
  await using place = await workplace()
  const first = Object(await place.json(rotate))
  const second = await place.call(rotate)
  assert.match(second.out, /^New key [\w-]{43}\nIt signs from 20\d\d-\d\d-\d\d \d\d:\d\d:\d\dZ\.\n$/)
  const { keys } = Object(await place.json(list))
  assert.deepEqual(
    keys.map(({ kid, state, algorithm }: Record<string, string>) => [kid === first.kid, state, algorithm]),
    [
      [false, 'next', 'ES256'],
      [true, 'signing', 'ES256'],
    ],
  )
  assert.equal(keys[0].publishedUntil, null)
  assert.ok(Date.parse(keys[1].publishedUntil) > Date.parse(keys[0].signsFrom) + 600_000)
  const { out } = await place.call(list)
  assert.match(
    out,
    /^KEY +ALGORITHM +STATE +SIGNS FROM +PUBLISHED UNTIL\n\S+ +ES256 +next .* replaced\n\S+ +ES256 +signing .*Z\n$/,
  )
})

test('without a secret no key is made, and the message says how to get one', async () => {
  await using place = await workplace('log: { level: warn }\n')
  const { code, out, err } = await place.call(rotate)
  assert.deepEqual([code, out], [1, ''])
  assert.match(err, /authority\.secret is missing: .*openssl rand -base64 32/)
})

test('with another secret than that of the other keys no key is made', async () => {
  await using place = await workplace(`authority: { secret: "\${SECRET}" }\n`)
  assert.equal((await place.call(rotate, { env: { SECRET: sealingSecret } })).code, 0)
  const other = { SECRET: sealingSecret.toLowerCase() }
  const { code, err } = await place.call(rotate, { env: other })
  assert.equal(code, 1)
  assert.match(err, /secret/)
  assert.equal(Object(await place.json(list, { env: other })).keys.length, 1)
})
