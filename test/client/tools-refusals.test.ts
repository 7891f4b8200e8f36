import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ClientError } from '../../src/client/client-error.ts'
import { createOAuth } from '../../src/client/oauth/create-oauth.ts'
import { memoryStore } from '../../src/client/oauth/memory-store.ts'
import { connectTools } from '../../src/client/tools/connect-tools.ts'
import type { ToolServer } from '../../src/client/tools/tool.ts'
import { startNoteServers } from '../conformance/note-servers.ts'
import { drain } from './cut-list.ts'

const servers = await startNoteServers()
after(() => servers.stop())
const { issuer, signed } = servers

for (const era of ['auto', 'legacy'] as const) {
  test(`a call that the token does not allow says which scopes it needs, era ${era}`, async () => {
    const tools = await connect(era)
    const error = await refusal(tools.call('add_note', { text: 'hello' }))
    assert.deepEqual(
      [error.code, error.status, error.reason, error.scopes],
      ['insufficient_scope', 403, 'insufficient_scope', ['notes:write']],
    )
    assert.match(error.message, /^could not call add_note: /)
    await tools.close()
  })

  test(`a tool that is not there, and input of another shape, are told apart from a tool that fails, era ${era}`, async () => {
    const tools = await connect(era)
    assert.equal((await refusal(tools.call('nothing'))).code, 'unknown_tool')
    assert.equal((await tools.call('read_notes', { more: 1 })).isError, true)
    const broken = await tools.call('break')
    assert.equal(broken.isError, true)
    assert.doesNotMatch(JSON.stringify(broken), /secret detail/)
    await tools.close()
  })

  test(`the list is what the server lists, era ${era}`, async () => {
    const tools = await connect(era)
    const listed = await drain(tools.list())
    assert.deepEqual(listed.map(({ name }) => name).toSorted(), ['add_note', 'break', 'read_notes'])
    await tools.close()
  })
}

/** With a token that allows to read. */
async function connect(era: 'auto' | 'legacy'): Promise<ToolServer> {
  const store = memoryStore()
  await store.setGrant({
    resource: signed,
    audience: signed,
    issuer: issuer.issuer,
    clientId: 'machine',
    accessToken: await issuer.machineToken(signed, ['notes:read']),
    scopes: ['notes:read'],
    savedAt: Date.now(),
  })
  return connectTools(signed, { oauth: createOAuth({ resource: signed, store }), era })
}

async function refusal(attempt: Promise<unknown>): Promise<ClientError> {
  const error = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof ClientError, String(error))
  return error
}
