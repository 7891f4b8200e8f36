import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isClientError } from '../../../test/client/client-error-check.ts'
import { apiClient } from './api-client.ts'

test('an id that would lead to something else is refused, and nothing is sent', async () => {
  const sent: string[] = []
  const fetch: typeof globalThis.fetch = async (input) => {
    sent.push(new Request(input).url)
    return new Response(null, { status: 204 })
  }
  const api = apiClient('https://gate.example', { fetch })
  for (const id of ['', '.', '..']) {
    await assert.rejects(api.revokeServiceAccountKey('account', id), isClientError('invalid_option'))
    await assert.rejects(api.disableServiceAccount(id), isClientError('invalid_option'))
    await assert.rejects(api.revokeSession(id), isClientError('invalid_option'))
    await assert.rejects(api.rotateKey(id), isClientError('invalid_option'))
  }
  assert.deepEqual(sent, [])
  await api.revokeSession('../keys')
  assert.deepEqual(sent, ['https://gate.example/api/v1/sessions/..%2Fkeys'])
})
