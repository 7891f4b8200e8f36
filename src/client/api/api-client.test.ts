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

test('a credential travels over plain http on this machine, and elsewhere only when that was allowed', async () => {
  const sent: string[] = []
  const fetch: typeof globalThis.fetch = async (input) => {
    sent.push(new Request(input).url)
    return new Response(null, { status: 204 })
  }
  const headers = { authorization: 'Bearer secret-token' }
  for (const address of [
    'http://gate.example',
    'http://10.0.0.7:8080/api/v1',
    'http://localhost.gate.example',
  ])
    assert.throws(() => apiClient(address, { fetch, headers }), isClientError('insecure_url'))
  assert.deepEqual(sent, [])
  for (const address of ['http://127.0.0.1:8080', 'http://[::1]:8080', 'http://localhost'])
    await apiClient(address, { fetch, headers }).revokeKey('1')
  await apiClient('http://gate.example', { fetch, headers, allowHttp: true }).revokeKey('1')
  assert.equal(sent.pop(), 'http://gate.example/api/v1/keys/1')
  assert.equal(sent.length, 3)
})
