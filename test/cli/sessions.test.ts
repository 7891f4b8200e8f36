import assert from 'node:assert/strict'
import { test } from 'node:test'
import { by } from '../records/admin-server.ts'
import { type OperatorPlace, operatorPlace, wayNames } from './operator-place.ts'

const list = ['sessions', 'list']
const nobody = '019a8e0c-5f2b-7c41-9a3e-000000000000'

/** So many sessions, each with one call. */
async function withSessions(count: number): Promise<OperatorPlace> {
  const place = await operatorPlace()
  await place.admin.record(
    Array.from({ length: count }, (_, n) => ({ by: by(`person-${n}`, place.admin.issuer, `token-${n}`) })),
  )
  return place
}

for (const name of wayNames) {
  test(`${name}: sessions are a table, newest first`, async () => {
    await using place = await withSessions(2)
    const { code, out } = await place.ways[name].call(list)
    assert.equal(code, 0)
    assert.match(out, /^ID +STATE +WHO +SURFACE +BY +CLIENT +CALLS +DENIED +LAST SEEN\n/)
    assert.match(out, /\n\S+ +active +person-1 +tools +jwt +https:\S+ +1 +0 +20\d\d-\S+ \d\d:\d\dZ\n/)
  })

  test(`${name}: every session has one line of the screen, and its whole id without one`, async () => {
    await using place = await withSessions(2)
    const way = place.ways[name]
    const screen = (): { columns: number; rows: number } => ({ columns: 80, rows: 24 })
    const { out } = await way.call(list, { screen })
    const lines = out.trimEnd().split('\n')
    assert.equal(lines.length, 3)
    for (const line of lines) assert.ok(line.length <= 80, line)
    const [newest] = await way.lines(list, { screen })
    assert.equal(String(newest?.id).length, 36)
    assert.ok((await way.call(list)).out.includes(String(newest?.id)))
  })

  test(`${name}: who has a name is shown by it, and by both where all is shown`, async () => {
    await using place = await operatorPlace()
    const id = '01a1dfda-d93c-7a49-9361-aba259986e56'
    await place.admin.record([{ by: { ...by(id, place.admin.issuer, 't'), name: 'ada' } }])
    const way = place.ways[name]
    assert.match((await way.call(list)).out, /\n\S+ +active +ada +tools /)
    const [shown] = await way.lines(list)
    assert.deepEqual([shown?.principal, shown?.principal_name], [id, 'ada'])
    const { out } = await way.call(['sessions', 'show', String(shown?.id)])
    assert.match(out, new RegExp(`\\nwho +${id}\\nknown as +ada\\n`))
  })

  test(`${name}: without a terminal there is one page, and a word on standard error that there are more`, async () => {
    await using place = await withSessions(45)
    const { code, out, err } = await place.ways[name].call([...list, '--limit', '40', '--json'])
    assert.equal(code, 0)
    assert.equal(out.split('\n').length - 1, 40)
    assert.equal(err, 'There are more sessions: list them with --all.\n')
  })

  test(`${name}: --principal and --issuer narrow the list`, async () => {
    await using place = await withSessions(3)
    const way = place.ways[name]
    const namesake = by('person-1', 'https://other.example', 'token-of-another')
    await place.admin.record([{ by: namesake }])
    const who = ['--principal', 'person-1']
    const issuers = (await way.lines([...list, ...who])).map(({ principal, issuer }) => [principal, issuer])
    assert.deepEqual(issuers, [
      ['person-1', namesake.issuer],
      ['person-1', place.admin.issuer],
    ])
    assert.equal((await way.lines([...list, ...who, '--issuer', place.admin.issuer])).length, 1)
    assert.equal((await way.call([...list, '--principal', 'nobody'])).out, 'There are no such sessions.\n')
    const { code, err } = await way.call([...list, '--issuer', place.admin.issuer])
    assert.equal(code, 2)
    assert.match(err, /--issuer is understood only beside --principal/)
  })

  test(`${name}: --all walks every page`, async () => {
    await using place = await withSessions(230)
    const all = await place.ways[name].lines([...list, '--all'])
    assert.equal(new Set(all.map(({ principal }) => principal)).size, 230)
  })

  test(`${name}: a session is shown, ended, and then revoked for everyone`, async () => {
    await using place = await withSessions(1)
    const way = place.ways[name]
    const id = String((await way.lines(list))[0]?.id)
    const shown = await way.call(['sessions', 'show', id])
    assert.match(shown.out, /\nstate +active\nwho +person-0\n/)
    assert.equal((await way.call(['sessions', 'revoke', id])).out, `${id} is revoked.\n`)
    assert.equal(Object(await way.json(['sessions', 'show', id])).state, 'revoked')
  })

  test(`${name}: to end a session twice is as good as once`, async () => {
    await using place = await withSessions(1)
    const way = place.ways[name]
    const id = String((await way.lines(list))[0]?.id)
    assert.deepEqual(await way.json(['sessions', 'revoke', id]), { id, state: 'revoked' })
    const { revoked_at: ended } = Object(await way.json(['sessions', 'show', id]))
    assert.deepEqual(await way.json(['sessions', 'revoke', id]), { id, state: 'revoked' })
    assert.equal(Object(await way.json(['sessions', 'show', id])).revoked_at, ended)
  })

  test(`${name}: a session that is not there cannot be shown or ended`, async () => {
    await using place = await withSessions(1)
    for (const verb of ['show', 'revoke']) {
      const { code, out, err } = await place.ways[name].call(['sessions', verb, nobody])
      assert.deepEqual([code, out], [1, ''])
      assert.match(err, /there is no session "?019a8e0c/)
    }
  })

  test(`${name}: where there is no session, that is said`, async () => {
    await using place = await withSessions(0)
    const { code, out } = await place.ways[name].call(list)
    assert.equal(code, 0)
    // The request itself is no session: it is recorded elsewhere in these tests.
    assert.match(out, /^There is no session yet\./)
  })
}

test('both ways show the same of every session', async () => {
  await using place = await withSessions(3)
  const { '--config': stored, '--url': remote } = place.ways
  const sessions = await stored.lines([...list, '--all'])
  assert.deepEqual(await remote.lines([...list, '--all']), sessions)
  const id = String(sessions[0]?.id)
  assert.deepEqual(await remote.json(['sessions', 'show', id]), await stored.json(['sessions', 'show', id]))
})

test('the total of the server makes a progress bar on standard error', async () => {
  await using place = await withSessions(130)
  const { out, err } = await place.ways['--url'].call([...list, '--all', '--json'], { isAttended: true })
  assert.equal(out.split('\n').length - 1, 130)
  assert.match(err, /\[#{31}-{9}\] 100 of 130 sessions/)
})

test('who may not read sessions is told so', async () => {
  await using place = await operatorPlace('events:read')
  const { code, out, err } = await place.ways['--url'].call(list)
  assert.deepEqual([code, out], [1, ''])
  assert.match(err, /sessions:read/)
})
