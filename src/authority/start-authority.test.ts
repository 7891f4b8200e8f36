import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { test } from 'node:test'
import { parseConfig } from '../config/parse-config.ts'
import { createLog } from '../log/log.ts'
import { startAuthority } from './start-authority.ts'

const log = createLog({ level: 'silent' })
const directory = tmpdir()

function settings(authority: Readonly<Record<string, unknown>>): Parameters<typeof startAuthority>[0] {
  const text = JSON.stringify({ store: 'sqlite::memory:', authority: { port: 0, issuer, ...authority } })
  return { config: parseConfig(text, { file: 'postern.yaml', env: {} }), log, directory }
}

const issuer = 'http://localhost:8081'
const secret = 'Zk3vQ8nX1rT6yB9mW4pL7sD2gH5jF0aC'
const desk = { id: 'desk', name: 'Desk', redirectUris: ['http://127.0.0.1/callback'] }

test('a started authority leads who asks to sign in to its page, and is gone when it has stopped', async () => {
  const scopes = { 'notes:read': { description: 'Read your notes' } }
  const started = await startAuthority(settings({ secret, scopes, clients: [desk] }))
  assert.equal(started.issuer, issuer)
  const query = new URLSearchParams({
    client_id: 'desk',
    response_type: 'code',
    redirect_uri: 'http://127.0.0.1:4000/callback',
    scope: 'notes:read',
    code_challenge: 'a'.repeat(43),
    code_challenge_method: 'S256',
  })
  const sent = await fetch(`${started.url}/authorize?${query.toString()}`, { redirect: 'manual' })
  const cookie = sent.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
  const page = await fetch(new URL(sent.headers.get('location') ?? '', started.url), { headers: { cookie } })
  assert.equal(page.status, 200)
  assert.match(await page.text(), /<form/)
  await started.stop()
  await assert.rejects(fetch(started.url))
})

test('without a secret the authority does not start', async () => {
  const refusal = { code: 'misconfigured', field: 'authority.secret' }
  await assert.rejects(startAuthority(settings({})), refusal)
})

test('a configured client that cannot be is found when the authority starts', async () => {
  const start = startAuthority(settings({ secret, clients: [{ ...desk, id: 'größe' }] }))
  await assert.rejects(start, { code: 'misconfigured', field: 'authority.clients[0]' })
})
