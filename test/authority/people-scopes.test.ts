import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseConfig } from '../../src/config/parse-config.ts'
import { startGateway } from '../../src/gateway/start-gateway.ts'
import { createLog } from '../../src/log/log.ts'
import { admin, gateway as publicUrl } from './core-authority.ts'
import { enter, type PeopleAuthority, readable, redeem, request, startPeople } from './people-authority.ts'
import { openBrowser } from './people-browser.ts'

/** What the consent page says when a client names no scope, and the scopes and the token that come of it. */
async function allowWithoutScope(
  authority: PeopleAuthority,
  changes: Readonly<Record<string, string>> = {},
): Promise<{ readonly page: string; readonly scope: unknown; readonly token: string }> {
  const asked = request(authority, '', changes)
  const browser = openBrowser(authority.url)
  const page = await enter(browser, await browser.open(asked.url), 'bob')
  const { url } = await browser.submit(page, '/allow')
  const { body } = await redeem(authority, asked, url)
  return { page: readable(page), scope: body.scope, token: String(body.access_token) }
}

test('a client that names no scope asks for those of the resource that everybody can allow', async () => {
  await using authority = await startPeople()
  const notes = await allowWithoutScope(authority)
  assert.match(notes.page, /It asks to Read your notes notes:read Change your notes notes:write/)
  assert.equal(notes.scope, 'notes:read notes:write')
  const api = await allowWithoutScope(authority, { resource: admin, scope: 'offline_access' })
  assert.doesNotMatch(api.page, /administrator/)
  assert.equal(api.scope, 'own:read own:write')
})

test('a client that names neither scope nor resource hears so before anybody has typed a password', async () => {
  await using authority = await startPeople()
  const { url } = request(authority, '', { resource: '' })
  const back = await openBrowser(authority.url).open(url)
  assert.equal(back.url.searchParams.get('error'), 'invalid_target')
})

const guarded = { 'notes:purge': { description: 'Delete everybody’s notes', adminOnly: true } }
for (const [what, scopes] of Object.entries({ 'no scope': {}, 'scopes for administrators alone': guarded }))
  test(`where tools have ${what}, everybody can sign in for those that need none`, async () => {
    await using authority = await startPeople({ authority: { scopes } })
    const { page, scope, token } = await allowWithoutScope(authority)
    assert.match(page, /It asks to Use the tools that everybody may use tools:open/)
    assert.equal(scope, 'tools:open')
    const config = parseConfig(
      JSON.stringify({
        server: { port: 0, opsPort: 0, publicUrl },
        store: 'sqlite::memory:',
        issuers: [{ issuer: authority.url }],
        tools: { sources: [{ kind: 'builtin' }] },
      }),
      { file: 'postern.yaml', env: {} },
    )
    const started = await startGateway({ config, log: createLog({ level: 'silent' }), directory: '.' })
    try {
      const call = { name: 'echo', arguments: { text: 'heard' } }
      const answer = await started.gateway.inject({
        method: 'POST',
        url: '/mcp',
        headers: {
          host: new URL(publicUrl).host,
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2025-11-25',
          authorization: `Bearer ${token}`,
        },
        payload: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call },
      })
      assert.equal(answer.statusCode, 200, answer.body)
      assert.match(answer.body, /heard/)
    } finally {
      await started.gateway.stop()
    }
  })
