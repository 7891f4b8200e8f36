import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { postgres } from '../store/engines.ts'
import { type Core, startCore } from './core-authority.ts'
import { authorizationQuery } from './core-flow.ts'

const database = await postgres.create()
const at = Date.now() * 1000
/** The clock stands, so that nobody's wait ends before it is seen. */
const both = { database: database.url, authority: { trustedProxies: ['127.0.0.1'] }, now: (): number => at }
const one = await startCore(both)
const other = await startCore({ ...both, issuer: one.issuer })
after(async () => {
  for (const part of [one, other, database]) await part[Symbol.asyncDispose]()
})

test('an address begins 600 visits in ten minutes at all instances together, and others go on', async () => {
  const visit = (
    place: Core,
    path: string,
    { method = 'GET', address = '192.0.2.6' } = {},
  ): Promise<Response> =>
    fetch(new URL(path, place.url), {
      method,
      redirect: 'manual',
      headers: { 'x-forwarded-for': address, accept: 'text/html' },
    })
  const { db } = one.context.store
  const records = async (): Promise<number> =>
    (await db.selectFrom('authority_records').select('id').execute()).length
  const begin = `/authorize?${authorizationQuery('v'.repeat(43)).toString()}`
  assert.equal((await visit(one, begin)).status, 303)
  await db
    .updateTable('authority_throttles')
    .set({ failures: 599 })
    .where('subject', 'like', 'visit:%')
    .execute()
  assert.equal((await visit(other, begin)).status, 303)
  const before = await records()
  for (const [path, method] of [
    [begin, 'GET'],
    [begin, 'HEAD'],
    [begin.replace('/authorize', '/Authorize/'), 'GET'],
    ['/authorize/resumed', 'GET'],
    ['/end-session', 'GET'],
    ['/end-session/confirm', 'POST'],
  ] as const) {
    const answer = await visit(one, path, { method })
    assert.equal(answer.status, 429, `${method} ${path}`)
    assert.match(answer.headers.get('retry-after') ?? '', /^\d{1,3}$/)
    if (method === 'GET')
      assert.match(await answer.text(), /Too many sign-ins from this address: wait \d+ sec/)
  }
  assert.equal(await records(), before)
  assert.equal((await visit(one, begin, { address: '192.0.2.7' })).status, 303)
})

test('a session in which nobody has signed in is kept for an hour', async () => {
  await (await fetch(`${one.url}/end-session`)).text()
  const { db } = one.context.store
  const sessions = await db
    .selectFrom('authority_records')
    .selectAll()
    .where('kind', '=', 'Session')
    .execute()
  assert.ok(sessions.length > 0)
  for (const { expires_at: end, account_id: account } of sessions)
    assert.ok(account !== null || Number(end) <= one.context.now() + 3_600_000_000)
})
