import assert from 'node:assert/strict'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createLog } from '../../src/log/log.ts'
import { openStore } from '../../src/store/open-store.ts'
import { type Workplace, workplace } from './call-postern.ts'

const config = `
server: { host: 0.0.0.0, publicUrl: https://gate.example:8443 }
authority: { host: 0.0.0.0, issuer: https://login.example }
scopeBase: https://scopes.example/auth
`

function accounts(place: Workplace): Promise<Record<string, unknown>[]> {
  return place.lines(['service-accounts', 'list', '--all'])
}

test('a new service account has its credentials in a file for its owner alone', async () => {
  await using place = await workplace(config)
  const { code, out } = await place.call(['service-accounts', 'create', 'robot'])
  assert.equal(code, 0)
  assert.match(out, /^Created robot@postern\.iam\.gate\.example\.\n/)
  assert.match(out, /export GOOGLE_APPLICATION_CREDENTIALS="\$PWD\/robot\.json"/)
  const path = join(place.folder, 'robot.json')
  assert.equal((await stat(path)).mode & 0o777, 0o600)
  const file = JSON.parse(await readFile(path, 'utf8'))
  assert.equal(file.type, 'service_account')
  assert.equal(file.client_email, 'robot@postern.iam.gate.example')
  assert.equal(file.token_uri, 'https://login.example/token')
  assert.equal(file.universe_domain, 'gate.example')
  assert.match(file.private_key, /^-----BEGIN PRIVATE KEY-----/)
  assert.ok(!out.includes('PRIVATE KEY'))
})

test('with --json the credentials are printed, nothing else, and no file is written', async () => {
  await using place = await workplace(config)
  const order = [
    'service-accounts',
    'create',
    'robot',
    '--project',
    'shop',
    '--scope',
    'a:read',
    '--scope',
    'a:write',
  ]
  const file = Object(await place.json(order))
  assert.deepEqual(Object.keys(file), [
    'type',
    'project_id',
    'private_key_id',
    'private_key',
    'client_email',
    'client_id',
    'token_uri',
    'universe_domain',
  ])
  assert.equal(file.client_email, 'robot@shop.iam.gate.example')
  assert.ok(!(await readdir(place.folder)).includes('robot.json'))
  assert.deepEqual((await accounts(place))[0]?.scopes, ['a:read', 'a:write'])
})

test('without a scope it may use the model API, under the base of the configuration', async () => {
  await using place = await workplace(config)
  await place.call(['service-accounts', 'create', 'robot'])
  assert.deepEqual((await accounts(place))[0]?.scopes, ['https://scopes.example/auth/cloud-platform'])
})

test('a file that is there is not overwritten, and no account comes about without its file', async () => {
  await using place = await workplace(config)
  await writeFile(join(place.folder, 'robot.json'), 'mine')
  const { code, out, err } = await place.call(['service-accounts', 'create', 'robot'])
  assert.deepEqual([code, out], [1, ''])
  assert.match(err, /robot\.json: it exists already; move it away, or print the file with --json/)
  assert.equal(await readFile(join(place.folder, 'robot.json'), 'utf8'), 'mine')
  assert.deepEqual(await accounts(place), [])
})

test('an account that is refused leaves no file behind', async () => {
  await using place = await workplace(config)
  await place.json(['service-accounts', 'create', 'robot'])
  for (const [name, code] of [
    ['robot', 1],
    ['Robot!', 2],
    ['../robot', 2],
  ] as const)
    assert.equal((await place.call(['service-accounts', 'create', name])).code, code)
  assert.deepEqual((await readdir(place.folder)).sort(), ['data', 'postern.yaml'])
})

test('accounts are listed oldest first, with their state', async () => {
  await using place = await workplace(config)
  assert.match((await place.call(['service-accounts', 'list'])).out, /no service account yet/)
  await place.json(['service-accounts', 'create', 'one', '--scope', 'a'])
  await place.json(['service-accounts', 'create', 'two', '--scope', 'b'])
  const email = 'one@postern.iam.gate.example'
  const disabled = await place.call(['service-accounts', 'disable', email])
  assert.deepEqual([disabled.code, disabled.out], [0, `${email} is disabled.\n`])
  const { out } = await place.call(['service-accounts', 'list'])
  assert.match(out, /^E-MAIL +STATE +CREATED +SCOPES\none@\S+ +disabled .* a\ntwo@\S+ +active .* b\n$/)
  const listed = await accounts(place)
  assert.deepEqual(
    listed.map(({ name, disabled_at }) => [name, disabled_at === null]),
    [
      ['one', false],
      ['two', true],
    ],
  )
})

test('a list longer than a page of the store is whole', async () => {
  await using place = await workplace(config)
  const log = createLog({ level: 'silent' })
  const store = await openStore('sqlite:./data/postern.db', { log, directory: place.folder })
  const names = Array.from({ length: 250 }, (_, index) => `robot-${1000 + index}`)
  const rest = { project: 'p', scopes: '', created_at: 1, updated_at: 1, disabled_at: null }
  await store.db
    .insertInto('service_accounts')
    .values(names.map((name) => ({ ...rest, id: name, name, email: `${name}@p` })))
    .execute()
  await store.close()
  assert.deepEqual(
    (await accounts(place)).map(({ name }) => name),
    names,
  )
})

test('to disable an account twice changes nothing, and one that is not there fails and says why', async () => {
  await using place = await workplace(config)
  await place.json(['service-accounts', 'create', 'robot'])
  const email = 'robot@postern.iam.gate.example'
  await place.call(['service-accounts', 'disable', email])
  const [{ disabled_at } = {}] = await accounts(place)
  const again = await place.call(['service-accounts', 'disable', email])
  assert.deepEqual([again.code, again.out], [0, `${email} is disabled.\n`])
  assert.equal((await accounts(place))[0]?.disabled_at, disabled_at)
  const unknown = await place.call(['service-accounts', 'disable', 'robot'])
  assert.equal(unknown.code, 1)
  assert.match(unknown.err, /no service account "robot"; "postern service-accounts list" shows/)
})

test('a rotation of a disabled account names the command that enables it, and that works', async () => {
  await using place = await workplace(config)
  await place.json(['service-accounts', 'create', 'robot'])
  const email = 'robot@postern.iam.gate.example'
  await place.call(['service-accounts', 'disable', email])
  const { err } = await place.call(['service-accounts', 'rotate', email, '--json'])
  const [, hint = ''] = /enable it first with "postern (.*)"\n/.exec(err) ?? []
  assert.deepEqual(await place.json(hint.split(' ')), { email, state: 'active' })
  assert.equal((await place.call(['service-accounts', 'rotate', email, '--json'])).code, 0)
})
