import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createLog } from '../../src/log/log.ts'
import { notedSecrets } from '../records/secret-search-notes.ts'
import { post, refresh, register } from './core-flow.ts'
import { enter, password, redeem, request, signInAndAllow, startPeople } from './people-authority.ts'
import { formOf, openBrowser } from './people-browser.ts'
import { startSmallUpstream, upstreamClient } from './people-upstream.ts'

const lines: string[] = []
const log = createLog({ level: 'trace', destination: { write: (line) => lines.push(line) } })
const person = { sub: 'u-1', email: 'grace@example.org', email_verified: true, name: 'Grace Hopper' }
const upstream = await startSmallUpstream(person)
const described = { name: 'Acme', issuer: upstream.issuer, ...upstreamClient }
const authority = await startPeople({ log, authority: { upstream: described, opaqueResources: ['mcp'] } })
after(async () => {
  await authority[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
})

function assertUnsaid(secrets: readonly unknown[]): void {
  const said = lines.join('')
  for (const secret of secrets) {
    assert.ok(typeof secret === 'string' && secret.length > 5, String(secret))
    assert.equal(said.includes(secret), false, secret)
  }
}

test('nothing of a sign-in is in the log, whatever its level: no password, cookie, code or token', async () => {
  const asked = request(authority, 'notes:read')
  const browser = openBrowser(authority.url)
  const page = await browser.open(asked.url)
  await browser.submit(page, '/enter', { login: 'typed into the wrong field', password: 'a wrong password' })
  await browser.submit(page, '/enter', { login: 'ada', password: 'p'.repeat(2000) })
  await browser.submit(page, '/enter', { login: 'ada', password, token: 'a wrong token' })
  const { back } = await signInAndAllow(authority, asked, 'ada')
  const { body } = await redeem(authority, asked, back)
  await redeem(authority, asked, back)
  await refresh(authority, body.refresh_token)
  await post(authority, '/revoke', { token: String(body.access_token), client_id: 'desk' })
  await post(authority, '/introspect', { token: String(body.access_token), as: 'gate:a wrong secret' })
  const cookies = notedSecrets().filter(({ kind }) => kind.includes('cookie'))
  assert.ok(cookies.some(({ kind }) => kind.endsWith('session')))
  assertUnsaid([
    'typed into the wrong field',
    'a wrong password',
    'p'.repeat(20),
    password,
    'a wrong secret',
    formOf(page, '/enter').fields.token,
    back.searchParams.get('code'),
    asked.verifier,
    body.access_token,
    body.refresh_token,
    ...cookies.map(({ text }) => text),
  ])
})

test('nothing of a registration is in the log', async () => {
  const { body } = await register(authority, { redirect_uris: ['https://site.example/back'] })
  await post(authority, '/token', {
    grant_type: 'refresh_token',
    refresh_token: 'a stolen token',
    as: `${String(body.client_id)}:a guess`,
  })
  assertUnsaid([body.client_secret, 'a stolen token', 'a guess'])
})

for (const [what, lie] of Object.entries({
  'was forged': { isForged: true },
  'is of another sign-in': { claims: { nonce: 'another nonce' } },
  'has a code from elsewhere': { answer: { code: 'a stolen code' } },
  'is an error': { answer: { code: '', error: 'server_error', error_description: 'an inner secret' } },
}))
  test(`an answer of the upstream that ${what} is logged without what it holds`, async () => {
    for (const name of ['isForged', 'claims', 'answer']) Reflect.deleteProperty(upstream.says, name)
    Object.assign(upstream.says, lie)
    const before = lines.length
    const browser = openBrowser(authority.url, upstream.issuer)
    await browser.submit(await browser.open(request(authority, 'notes:read').url), '/upstream')
    assert.match(
      lines.slice(before).join(''),
      /"level":"warn".*"reason":"[^"]{20,}.*sign-in at the upstream failed/,
    )
    const sent = upstream.asked()
    assertUnsaid([
      ...['state', 'nonce', 'code_challenge'].map((name) => sent.get(name)),
      'a stolen code',
      'an inner secret',
      'another nonce',
      upstreamClient.clientSecret,
      person.email,
    ])
  })

test('a sign-in at the upstream that succeeds says nothing of it either', async () => {
  for (const name of ['isForged', 'claims', 'answer']) Reflect.deleteProperty(upstream.says, name)
  const browser = openBrowser(authority.url, upstream.issuer)
  const page = await browser.submit(await browser.open(request(authority, 'notes:read').url), '/upstream')
  assert.match(page.text, /Grace Hopper/)
  assertUnsaid([person.email, person.name, upstream.asked().get('state')])
  await enter(browser, await browser.submit(page, '/switch'), 'bob')
})
