import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { loopbackRedirect } from '../../src/client/node/loopback-redirect.ts'
import { createOAuth } from '../../src/client/oauth/create-oauth.ts'
import { memoryStore } from '../../src/client/oauth/memory-store.ts'
import type { OAuthOptions } from '../../src/client/oauth/oauth-options.ts'
import { connectTools } from '../../src/client/tools/connect-tools.ts'
import { logIn } from '../authorization-server/log-in.ts'
import { publicClientId } from '../authorization-server/settings.ts'
import { startNoteServers } from '../conformance/note-servers.ts'

const servers = await startNoteServers()
after(() => servers.stop())
const { issuer, signed, opaque } = servers

const ways: readonly (readonly [
  how: string,
  resource: string,
  options: Partial<OAuthOptions>,
  id: RegExp,
])[] = [
  [
    'with a client ID metadata document',
    signed,
    { clientMetadataUrl: issuer.clientDocumentUrl },
    /^https:\/\/localhost:\d+\/client\.json$/,
  ],
  ['after it registered itself', opaque, {}, /^[\w-]{20,}$/],
  ['as a client that is known', signed, { clientId: publicClientId }, /^desk$/],
]

for (const [how, resource, options, id] of ways)
  test(`against oidc-provider ${how}: sign-in, calls, step-up, refresh, and the same client in the next sign-in`, async () => {
    const store = memoryStore()
    const pages: URL[] = []
    const clock = { aheadMs: 0 }
    const oauth = createOAuth({
      resource,
      store,
      scopes: ['notes:read'],
      now: () => Date.now() + clock.aheadMs,
      redirect: loopbackRedirect({
        show: async (page) => {
          pages.push(page)
          await fetch(await logIn(page))
        },
      }),
      ...options,
    })
    const tools = await connectTools(resource, { oauth })
    assert.equal((await tools.call('read_notes')).content[0]?.text, 'the notes of ada')
    const written = await tools.call('add_note', { text: 'hello' })
    assert.equal(written.content[0]?.text, 'ada noted: hello')
    const before = await store.grant(resource)
    assert.match(before?.clientId ?? '', id)

    clock.aheadMs = 280_000
    await tools.call('add_note', { text: 'again' })
    const renewed = await store.grant(resource)
    assert.notEqual(renewed?.accessToken, before?.accessToken)
    assert.notEqual(renewed?.refreshToken, before?.refreshToken)
    await tools.close()

    await oauth.signIn()
    assert.equal(new Set(pages.map(({ searchParams }) => searchParams.get('client_id'))).size, 1)
    assert.equal(pages.length, 3)
  })
