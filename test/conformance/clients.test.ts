import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { logIn } from '../authorization-server/log-in.ts'
import { startNoteServers } from './note-servers.ts'
import { createOAuthMemory, type OAuthMemory } from './oauth-memory.ts'
import { type ClientConnection, type OfficialClient, officialClients } from './official-clients.ts'

const servers = await startNoteServers()
after(() => servers.stop())
const { issuer, signed, opaque } = servers

const kinds = [
  { kind: 'signed tokens', url: signed, clientDocument: undefined },
  { kind: 'opaque tokens', url: opaque, clientDocument: undefined },
  { kind: 'a client metadata document', url: signed, clientDocument: issuer.clientDocumentUrl },
] as const

for (const client of officialClients) {
  test(`${client.name} lists and calls tools with a token, at ${client.revision}`, async () => {
    const token = await issuer.machineToken(signed, ['notes:read'])
    const connection = await client.connect(signed, { token })
    assert.deepEqual(await connection.toolNames(), ['add_note', 'break', 'read_notes'])
    assert.equal(await connection.call('read_notes', {}), 'the notes of machine')
    assert.equal(connection.revision(), client.revision)
    await connection.close()
  })

  test(`${client.name} refreshes by itself a token that is no longer good`, async () => {
    const memory = createOAuthMemory({ refreshes: true, clientMetadataUrl: issuer.clientDocumentUrl })
    await refusedFirst(client, () => client.connect(signed, { memory }))
    await signIn(client, { url: signed, memory, scope: 'notes:read offline_access' })
    const connection = await client.connect(signed, { memory })
    memory.spoilToken()
    assert.equal(await connection.call('read_notes', {}), 'the notes of ada')
    await connection.close()
  })

  for (const { kind, url, clientDocument } of kinds)
    test(`${client.name} finds the issuer, signs in and steps up, with ${kind}`, async () => {
      const memory = createOAuthMemory({ clientMetadataUrl: clientDocument })
      await refusedFirst(client, () => client.connect(url, { memory }))
      await signIn(client, { url, memory, scope: 'notes:read' })
      const connection = await client.connect(url, { memory })
      assert.equal(await connection.call('read_notes', {}), 'the notes of ada')

      await refusedFirst(client, () => connection.call('add_note', { text: 'hello' }))
      const asked = memory.askedAt().searchParams
      assert.equal(asked.get('resource'), url)
      assert.equal(asked.get('code_challenge_method'), 'S256')
      if (clientDocument !== undefined) assert.equal(asked.get('client_id'), clientDocument)
      assert.ok(asked.get('scope')?.split(' ').includes('notes:write'), String(asked.get('scope')))
      await signIn(client, { url, memory })
      assert.equal(await connection.call('add_note', { text: 'hello' }), 'ada noted: hello')
      await connection.close()
    })
}

async function refusedFirst(
  client: OfficialClient,
  act: () => Promise<ClientConnection | string>,
): Promise<void> {
  await assert.rejects(act, (error) => client.isSignInNeeded(error))
}

/** With a scope, the person grants only that. */
async function signIn(
  client: OfficialClient,
  { url, memory, scope }: { url: string; memory: OAuthMemory; scope?: string },
): Promise<void> {
  const page = new URL(memory.askedAt())
  if (scope !== undefined) page.searchParams.set('scope', scope)
  if (scope?.includes('offline_access')) page.searchParams.set('prompt', 'consent')
  const callback = await logIn(page)
  assert.equal(callback.searchParams.get('error'), null, callback.href)
  await client.finishSignIn(url, memory, callback)
}
