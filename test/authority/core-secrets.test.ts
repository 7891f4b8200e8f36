import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { postgres } from '../store/engines.ts'
import { type Core, startCore } from './core-authority.ts'

const database = await postgres.create()
const at = Date.now() * 1000
/** The clock stands, so that nobody's wait ends before it is seen. */
const both = { database: database.url, authority: { trustedProxies: ['127.0.0.1'] }, now: (): number => at }
const one = await startCore(both)
const other = await startCore({ ...both, issuer: one.issuer })
after(async () => {
  for (const part of [one, other, database]) await part[Symbol.asyncDispose]()
})

interface Ask {
  readonly path: string
  readonly address: string
  readonly secret: string
}

/** The robot, which shows its secret in the header, or the site, which shows it in the form. */
function ask(place: Core, { path, address, secret }: Ask, client = 'robot'): Promise<Response> {
  const form = { grant_type: 'client_credentials', scope: 'notes:read', token: 'any' }
  const isInHeader = client === 'robot'
  return fetch(new URL(path, place.url), {
    method: 'POST',
    headers: {
      'x-forwarded-for': address,
      ...(isInHeader && { authorization: `Basic ${btoa(`${client}:${encodeURIComponent(secret)}`)}` }),
    },
    body: new URLSearchParams(isInHeader ? form : { ...form, client_id: client, client_secret: secret }),
  })
}

const right = 'the secret of the robot'

test('who guesses the secret of a client waits, at both instances and every endpoint, and the client elsewhere does not', async () => {
  const address = '192.0.2.1'
  for (const [place, path] of [
    [one, '/token'],
    [other, '/introspect'],
    [one, '/revoke'],
    [other, '/TOKEN/'],
    [one, '/token'],
  ] as const)
    assert.equal((await ask(place, { path, address, secret: `a guess at ${path}` })).status, 401, path)
  for (const path of ['/token', '/introspect', '/revoke']) {
    const answer = await ask(other, { path, address, secret: right })
    assert.equal(answer.status, 429, path)
    assert.equal(answer.headers.get('retry-after'), '1')
    assert.partialDeepStrictEqual(JSON.parse(await answer.text()), { error: 'temporarily_unavailable' })
  }
  assert.equal((await ask(one, { path: '/token', address: '192.0.2.2', secret: right })).status, 200)
})

test('a secret in the form is guessed no faster than one in the header', async () => {
  const statuses: number[] = []
  for (let count = 0; count < 6; count += 1) {
    const guess = { path: '/token', address: '192.0.2.3', secret: `guess ${count}` }
    statuses.push((await ask(count % 2 === 0 ? one : other, guess, 'site')).status)
  }
  assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429])
})

test('a client that shows its right secret is never slowed', async () => {
  const answers = Array.from({ length: 60 }, (_, index) =>
    ask(index % 2 === 0 ? one : other, { path: '/token', address: '192.0.2.4', secret: right }),
  )
  const statuses = (await Promise.all(answers)).map(({ status }) => status)
  assert.deepEqual(new Set(statuses), new Set([200]))
})

test('a client that is not known is told so however often it comes, so that it registers again', async () => {
  const statuses: number[] = []
  for (let count = 0; count < 30; count += 1) {
    const guess = { path: '/token', address: '192.0.2.5', secret: 'of a registration that is forgotten' }
    statuses.push((await ask(one, guess, `forgotten-${count % 3}`)).status)
  }
  assert.deepEqual(new Set(statuses), new Set([401]))
})
