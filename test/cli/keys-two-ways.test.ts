import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { writeLastLogin } from '../../src/cli/last-login.ts'
import { workplace } from './call-postern.ts'
import { operatorPlace, wayNames } from './operator-place.ts'

const create = ['keys', 'create', '--name', 'nightly']

for (const name of wayNames) {
  test(`${name}: a key is made, listed, rotated and revoked`, async () => {
    await using place = await operatorPlace()
    const way = place.ways[name]
    const made = Object(await way.json([...create, '--model', 'tiny', '--expires', '30d']))
    assert.deepEqual(Object.keys(made).slice(0, 2), ['id', 'key'])
    assert.match(made.key, /^postern_/)
    const { key: _, ...kept } = made
    assert.deepEqual(await way.lines(['keys', 'list']), [kept])
    const next = await way.call(['keys', 'rotate', made.id, '--overlap', '0s'])
    assert.match(next.out, new RegExp(`^Created (\\S+) in place of ${made.id}, which is revoked\\.\n`))
    const [, id = ''] = /^Created (\S+)/.exec(next.out) ?? []
    for (const _time of ['once', 'again'])
      assert.deepEqual(await way.json(['keys', 'revoke', id]), { id, state: 'revoked' })
    const states = (await way.lines(['keys', 'list'])).map(({ state }) => state)
    assert.deepEqual(states, ['revoked', 'revoked'])
  })

  test(`${name}: a service account is made, listed, given another key, disabled and enabled`, async () => {
    await using place = await operatorPlace()
    const folder = await mkdtemp(join(tmpdir(), 'postern-accounts-'))
    const way = place.ways[name]
    const robot = ['service-accounts', 'create', 'robot', '--scope', 'notes:read']
    assert.equal((await way.call(robot, { cwd: folder })).code, 0)
    const [account] = await way.lines(['service-accounts', 'list'])
    const email = String(account?.email)
    assert.deepEqual([account?.name, account?.state, account?.scopes], ['robot', 'active', ['notes:read']])
    const rotated = await way.call(['service-accounts', 'rotate', email], { cwd: folder })
    const [, file = ''] = /Its key is in (\S+), readable by you alone/.exec(rotated.out) ?? []
    assert.equal((await stat(join(folder, file))).mode & 0o777, 0o600)
    const ids = [file, 'robot.json'].map(async (path) =>
      JSON.parse(await readFile(join(folder, path), 'utf8')),
    )
    const [another, first] = await Promise.all(ids)
    assert.equal(another.client_email, email)
    assert.notEqual(another.private_key_id, first.private_key_id)
    for (const _time of ['once', 'again']) {
      const disabled = await way.json(['service-accounts', 'disable', email])
      assert.deepEqual(disabled, { email, state: 'disabled' })
    }
    const again = await way.call(['service-accounts', 'rotate', email, '--json'])
    assert.equal(again.code, 1)
    assert.match(again.err, /is disabled; enable it first/)
    for (const _time of ['once', 'again']) {
      const enabled = await way.call(['service-accounts', 'enable', email])
      assert.deepEqual([enabled.code, enabled.out], [0, `${email} is enabled.\n`])
    }
    assert.equal((await way.lines(['service-accounts', 'list']))[0]?.state, 'active')
    assert.equal((await way.call(['service-accounts', 'rotate', email, '--json'])).code, 0)
    await rm(folder, { recursive: true })
  })

  test(`${name}: a service account that is not there is neither rotated nor switched`, async () => {
    await using place = await operatorPlace()
    for (const verb of ['rotate', 'disable', 'enable']) {
      const { code, err } = await place.ways[name].call(['service-accounts', verb, 'nobody@x', '--json'])
      assert.equal(code, 1)
      assert.match(err, /no service account "nobody@x"; "postern service-accounts list" shows their e-mails/)
    }
  })
}

test('both ways show the same of every key and service account', async () => {
  await using place = await operatorPlace()
  const { '--config': stored, '--url': remote } = place.ways
  await stored.json([...create, '--address', '10.0.0.0/8', '--principal', 'team-a'])
  await remote.json(['service-accounts', 'create', 'robot', '--scope', 'a'])
  for (const what of ['keys', 'service-accounts']) {
    const listed = await stored.lines([what, 'list'])
    assert.equal(listed.length, 1)
    assert.deepEqual(await remote.lines([what, 'list']), listed)
  }
})

test('a server that does not name the scope of its models asks for one to be named', async () => {
  await using place = await operatorPlace()
  const { code, err } = await place.ways['--url'].call(['service-accounts', 'create', 'robot', '--json'])
  assert.equal(code, 1)
  assert.match(err, /name one with --scope/)
})

test('--config and --url together are a misuse', async () => {
  await using place = await operatorPlace()
  const { code, err } = await place.ways['--url'].call(['keys', 'list', '--config', 'postern.yaml'])
  assert.equal(code, 2)
  assert.match(err, /--config works on a store and --url over HTTP: give one of them/)
})

test('POSTERN_URL is as good as --url, and --config goes before it', async () => {
  await using place = await operatorPlace()
  await using other = await workplace()
  const env = { POSTERN_URL: place.admin.publicUrl, POSTERN_TOKEN_FILE: join(other.folder, 'none.json') }
  assert.match((await other.call(['keys', 'list'], { env })).err, /sign in/i)
  assert.equal((await other.call(['keys', 'list', '--config', 'postern.yaml'], { env })).code, 0)
})

test('without any word the configuration that lies here is meant, else the server of the last login', async () => {
  await using place = await operatorPlace()
  await using here = await workplace()
  const env = { POSTERN_TOKEN_FILE: join(here.folder, 'none.json') }
  await writeLastLogin({ env }, { url: place.admin.publicUrl })
  assert.equal((await here.call(['keys', 'list'], { env })).code, 0)
  await rm(join(here.folder, 'postern.yaml'))
  const { code, err } = await here.call(['keys', 'list'], {
    env,
    isAttended: true,
    openPage: async () => true,
  })
  assert.equal(code, 1)
  assert.ok(err.startsWith(`On ${place.admin.publicUrl}, the server of the last login.\n`), err)
})
