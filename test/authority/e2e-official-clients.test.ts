import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openChromium } from '../chromium.ts'
import { createOAuthMemory, type OAuthMemory } from '../conformance/oauth-memory.ts'
import { type OfficialClient, officialClients } from '../conformance/official-clients.ts'
import { assertReads, openTab, press, sentBack, signInAndAllow } from './browser-person.ts'
import { startPrograms } from './e2e-programs.ts'

const browser = await openChromium()
after(() => browser.close())
const programs = await startPrograms()
after(() => programs[Symbol.asyncDispose]())
const { resource, issuer } = programs

for (const client of officialClients) {
  const isFirst = client === officialClients[0]

  test(`${client.name} registers, signs in, calls, refreshes, steps up, and asks again once revoked, at ${client.revision}`, async () => {
    await using context = await browser.newContext()
    const memory = hostMemory()
    await assertAsks(client, client.connect(resource, { memory }))
    const callback = await signInAndAllow(context, narrowed(memory, 'notes:read'))
    await client.finishSignIn(resource, memory, callback)
    const connection = await client.connect(resource, { memory })
    assert.match(await connection.call('read_notes', {}), /^the notes of [0-9a-f-]{36}$/)
    assert.equal(connection.revision(), client.revision)

    const before = refreshTokenOf(memory)
    memory.spoilToken()
    assert.match(await connection.call('read_notes', {}), /^the notes of /)
    assert.notEqual(refreshTokenOf(memory), before)

    // Refused for a scope, the first generation refreshes as long as it can, and never asks the person.
    if (isFirst) forgetRefreshToken(memory)
    await assertAsks(client, connection.call('add_note', { text: 'hello' }))
    const page = await openTab(context, memory.askedAt())
    await assertReads(page, /asks to .*Write and change your notes/)
    const again = await sentBack(page, () => press(page, 'Allow'))
    await client.finishSignIn(resource, memory, again)
    assert.match(await connection.call('add_note', { text: 'hello' }), / noted: hello$/)

    await revoke(memory)
    memory.spoilToken()
    await assertAsks(client, connection.call('add_note', { text: 'hello' }))
    await connection.close()
  })
}

// The first generation is given the code alone and cannot know.
test('the official client v2 refuses an answer that names another issuer', async () => {
  const [, client] = officialClients
  assert.ok(client !== undefined)
  await using context = await browser.newContext()
  const memory = hostMemory()
  await assertAsks(client, client.connect(resource, { memory }))
  const callback = await signInAndAllow(context, memory.askedAt())
  assert.equal(callback.searchParams.get('iss'), issuer)
  callback.searchParams.set('iss', 'https://other.example')
  await assert.rejects(client.finishSignIn(resource, memory, callback), /issuer/i)
  assert.equal(memory.provider.tokens(), undefined)
})

/** What a host keeps, and forgets when the client says that it is of no more use. */
function hostMemory(): OAuthMemory {
  const memory = createOAuthMemory({ refreshes: true })
  const invalidateCredentials = (): void => forgetRefreshToken(memory)
  return { ...memory, provider: { ...memory.provider, invalidateCredentials } }
}

async function assertAsks(client: OfficialClient, attempt: Promise<unknown>): Promise<void> {
  await assert.rejects(attempt, (error) => client.isSignInNeeded(error))
}

/** The client asks for all that there is at once; so that there is more to ask for, it gets less. */
function narrowed(memory: OAuthMemory, scope: string): URL {
  const page = new URL(memory.askedAt())
  assert.equal(page.origin, issuer)
  assert.equal(page.searchParams.get('resource'), resource)
  page.searchParams.set('scope', scope)
  return page
}

function refreshTokenOf({ provider }: OAuthMemory): string {
  return Object(provider.tokens()).refresh_token ?? ''
}

function forgetRefreshToken({ provider }: OAuthMemory): void {
  const { refresh_token: _, ...rest } = Object(provider.tokens())
  void provider.saveTokens(rest)
}

/** The official clients cannot do it themselves. */
async function revoke(memory: OAuthMemory): Promise<void> {
  const { client_id } = Object(memory.provider.clientInformation())
  const body = new URLSearchParams({ client_id, token: refreshTokenOf(memory) })
  const response = await fetch(`${issuer}/revoke`, { method: 'POST', body })
  assert.equal(response.status, 200)
}
