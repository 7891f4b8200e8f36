import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createLog } from '../../src/log/log.ts'
import { makeApiKey } from '../../src/store/api-key-secret.ts'
import { openStore } from '../../src/store/open-store.ts'
import { type Workplace, workplace } from './call-postern.ts'

const create = ['keys', 'create', '--name', 'nightly']

function listed(place: Workplace): Promise<Record<string, unknown>[]> {
  return place.lines(['keys', 'list', '--all'])
}

test('a new key is shown once, and its list has only how it ends', async () => {
  await using place = await workplace()
  assert.match((await place.call(['keys', 'list'])).out, /no API key yet.*keys create --name NAME/)
  const { code, out } = await place.call(create)
  assert.equal(code, 0)
  const [, id = '', key = ''] = /^Created (\S+), a key for nightly\.\n\n {2}(\S+)\n\nThis is/.exec(out) ?? []
  assert.match(key, /^postern_[\w-]{43}$/)
  const list = await place.call(['keys', 'list'])
  assert.match(
    list.out,
    /^ID +NAME +FOR +KEY +STATE +EXPIRES +LAST USED +ONLY\n\S+ +nightly +nightly +….{4} +active +never +never\n$/,
  )
  assert.ok(list.out.includes(id) && list.out.includes(key.slice(-4)))
  const stored = await readFile(join(place.folder, 'data', 'postern.db'), 'latin1')
  for (const text of [list.out, JSON.stringify(await listed(place)), stored])
    assert.ok(!text.includes(key.slice(0, -4)))
})

test('with --json there is the id, the key and every limit, as the list has it', async () => {
  await using place = await workplace()
  const before = Date.now()
  const limits = ['--principal', 'team-a', '--model', 'tiny', '--model', 'gemini-*', '--scope', 'a:read']
  const more = ['--address', '10.0.0.0/8', '--address', '::1', '--expires', '30d']
  const made = Object(await place.json([...create, ...limits, ...more]))
  const { id, key, created_at, updated_at, expires_at, hint, ...rest } = made
  assert.deepEqual(Object.keys(made).slice(0, 2), ['id', 'key'])
  assert.equal(hint, key.slice(-4))
  assert.deepEqual(rest, {
    name: 'nightly',
    principal: 'team-a',
    state: 'active',
    scopes: ['a:read'],
    models: ['tiny', 'gemini-*'],
    addresses: ['10.0.0.0/8', '::1'],
    revoked_at: null,
    last_used_at: null,
    replaced_by: null,
  })
  assert.ok(Date.parse(created_at) >= before - 1)
  assert.ok(Math.abs(Date.parse(expires_at) - Date.parse(created_at) - 30 * 86_400_000) < 2000)
  assert.deepEqual(await listed(place), [{ id, created_at, updated_at, expires_at, hint, ...rest }])
  assert.match(
    (await place.call(['keys', 'list'])).out,
    /team-a .* active +20\d\d-\S+ \d\d:\d\dZ +never +tiny gemini-\* a:read 10\.0\.0\.0\/8 ::1\n$/,
  )
})

const misuses: readonly [what: string, args: readonly string[], says: RegExp][] = [
  ['no name', ['keys', 'create'], /name what the key is for, with --name NAME/],
  ['an empty name', ['keys', 'create', '--name', ''], /name of an API key must be/],
  ['a bad time', [...create, '--expires', 'soon'], /--expires must be a number and one of s, m, h, d/],
  ['an end at once', [...create, '--expires', '0s'], /expiresAt of an API key must be in the future/],
  ['a bad address', [...create, '--address', '10.0.0.0/33'], /addresses of an API key must be IP addresses/],
  ['a bad model', [...create, '--model', 'a b'], /models of an API key must be names/],
  ['a bad scope', [...create, '--scope', 'a"b'], /scopes of an API key must be words/],
  ['no id to rotate', ['keys', 'rotate'], /name exactly one key, by its id/],
  ['a bad overlap', ['keys', 'rotate', 'x', '--overlap', '1'], /--overlap must be a number/],
  ['an endless overlap', ['keys', 'rotate', 'x', '--overlap', '91d'], /overlap of two keys must be between/],
  ['no id to revoke', ['keys', 'revoke'], /name exactly one key, by its id/],
]

for (const [what, args, says] of misuses)
  test(`${what} is a misuse, and no key comes about`, async () => {
    await using place = await workplace()
    const { code, out, err } = await place.call(args)
    assert.deepEqual([code, out], [2, ''])
    assert.match(err, says)
    assert.deepEqual(await listed(place), [])
  })

test('a rotated key has a successor with its rights, and ends after the overlap', async () => {
  await using place = await workplace()
  const old = Object(await place.json([...create, '--model', 'tiny', '--expires', '10d']))
  const next = Object(await place.json(['keys', 'rotate', old.id, '--overlap', '2h']))
  assert.notEqual(next.key, old.key)
  assert.deepEqual([next.name, next.models, next.principal], [old.name, ['tiny'], old.principal])
  const [first, second] = await listed(place)
  assert.equal(first?.replaced_by, second?.id)
  const left = Date.parse(String(first?.expires_at)) - Date.parse(String(second?.created_at))
  assert.ok(Math.abs(left - 2 * 3_600_000) < 1000)
  const again = await place.call(['keys', 'rotate', old.id])
  assert.equal(again.code, 1)
  assert.match(again.err, new RegExp(`has been replaced; rotate ${next.id} instead`))
  const shown = await place.call(['keys', 'rotate', next.id])
  assert.match(shown.out, /^Created \S+ in place of \S+, which works for another 1h\.\n\n {2}postern_/)
})

test('a revoked key stays in the list; to revoke it again changes nothing, and one that is not there fails', async () => {
  await using place = await workplace()
  const { id } = Object(await place.json(create))
  const revoked = await place.call(['keys', 'revoke', id])
  assert.deepEqual([revoked.code, revoked.out], [0, `${id} is revoked.\n`])
  const [kept] = await listed(place)
  assert.equal(kept?.state, 'revoked')
  assert.deepEqual(await place.call(['keys', 'revoke', id]), revoked)
  assert.deepEqual(await listed(place), [kept])
  const { code, err } = await place.call(['keys', 'revoke', 'nobody'])
  assert.equal(code, 1)
  assert.match(err, /no key "nobody"; "postern keys list" shows their ids/)
  assert.match((await place.call(['keys', 'rotate', id])).err, /has ended; create a new one/)
})

test('a list longer than a page of the store is whole', async () => {
  await using place = await workplace()
  const log = createLog({ level: 'silent' })
  const store = await openStore('sqlite:./data/postern.db', { log, directory: place.folder })
  const names = Array.from({ length: 250 }, (_, index) => `key-${1000 + index}`)
  await store.db
    .insertInto('api_keys')
    .values(names.map((name, index) => makeApiKey({ name }, 1_000_000 + index).row))
    .execute()
  await store.close()
  assert.deepEqual(
    (await listed(place)).map(({ name }) => name),
    names,
  )
})
