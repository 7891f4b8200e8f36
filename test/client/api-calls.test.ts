import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ApiClient, apiClient } from '../../src/client/api/api-client.ts'
import { ClientError } from '../../src/client/client-error.ts'
import { account, credentials, event, key, session, standIn, usage } from './api-stand-in.ts'
import { isClientError } from './client-error-check.ts'
import { drain } from './cut-list.ts'

const { id } = key
const scopes = account.scopes
const kid = credentials.private_key_id
const accounts = '/api/v1/service-accounts'

interface Row {
  readonly call: (api: ApiClient) => Promise<unknown>
  readonly line: string
  readonly body?: unknown
  readonly answer?: object
}

const rows: Readonly<Record<string, Row>> = {
  session: { call: (api) => api.session(id), line: `GET /api/v1/sessions/${id}`, answer: session },
  revokeSession: { call: (api) => api.revokeSession(id), line: `DELETE /api/v1/sessions/${id}` },
  key: { call: (api) => api.key(id), line: `GET /api/v1/keys/${id}`, answer: key },
  createKey: {
    call: (api) => api.createKey({ name: 'nightly', models: ['tiny'] }),
    line: 'POST /api/v1/keys',
    body: { name: 'nightly', models: ['tiny'] },
    answer: { ...key, key: 'the key itself' },
  },
  updateKey: {
    call: (api) => api.updateKey(id, { models: null }),
    line: `PATCH /api/v1/keys/${id}`,
    body: { models: null },
    answer: key,
  },
  rotateKey: {
    call: (api) => api.rotateKey(id, { overlap_seconds: 60 }),
    line: `POST /api/v1/keys/${id}:rotate`,
    body: { overlap_seconds: 60 },
    answer: { ...key, key: 'the key itself' },
  },
  revokeKey: { call: (api) => api.revokeKey(id), line: `DELETE /api/v1/keys/${id}` },
  serviceAccount: {
    call: (api) => api.serviceAccount(id),
    line: `GET ${accounts}/${id}`,
    answer: {
      ...account,
      keys: [
        {
          kid,
          state: 'active',
          created_at: account.created_at,
          expires_at: null,
          revoked_at: null,
          last_used_at: null,
        },
      ],
    },
  },
  createServiceAccount: {
    call: (api) => api.createServiceAccount({ name: 'robot', scopes }),
    line: `POST ${accounts}`,
    body: { name: 'robot', scopes },
    answer: { ...account, credentials },
  },
  updateServiceAccount: {
    call: (api) => api.updateServiceAccount(id, { disabled: true }),
    line: `PATCH ${accounts}/${id}`,
    body: { disabled: true },
    answer: account,
  },
  rotateServiceAccount: {
    call: (api) => api.rotateServiceAccount(id),
    line: `POST ${accounts}/${id}:rotate`,
    body: {},
    answer: { ...account, credentials },
  },
  disableServiceAccount: {
    call: (api) => api.disableServiceAccount(id),
    line: `DELETE ${accounts}/${id}`,
  },
  revokeServiceAccountKey: {
    call: (api) => api.revokeServiceAccountKey(id, kid),
    line: `DELETE ${accounts}/${id}/keys/${kid}`,
  },
}

for (const [name, { call, line, body, answer }] of Object.entries(rows)) {
  test(`${name} is ${line}`, async () => {
    await using server = await standIn(() => answer)
    const headers = { authorization: 'Bearer token' }
    assert.deepEqual(await call(apiClient(server.url, { headers })), answer)
    const [received] = server.received
    assert.deepEqual([received?.line, received?.body], [line, body])
    assert.equal(received?.headers.authorization, 'Bearer token')
  })
  if (answer !== undefined)
    test(`${name} refuses an answer without a field that it promises`, async () => {
      const { created_at: _, ...less } = { created_at: '', ...answer }
      await using server = await standIn(() => less)
      await assert.rejects(call(apiClient(server.url)), (error: unknown) => {
        assert.match(String(error), /"created_at" of the answer must be a string/)
        return isClientError('unexpected_body')(error)
      })
    })
}

const lists = {
  sessions: [
    (api: ApiClient) => api.sessions({ principal: 'ada', issuer: 'https://a.example', limit: 2 }),
    session,
    '/sessions?principal=ada&issuer=https%3A%2F%2Fa.example&offset=0&limit=2',
  ],
  keys: [(api: ApiClient) => api.keys({ limit: 2 }), key, '/keys?limit=2'],
  serviceAccounts: [(api: ApiClient) => api.serviceAccounts(), account, '/service-accounts'],
  events: [
    (api: ApiClient) => api.events({ principal: 'ada', decision: 'deny', order: 'oldest' }),
    event(1),
    '/events?principal=ada&decision=deny&order=oldest',
  ],
  usage: [
    (api: ApiClient) => api.usage({ bucket: 'day', by: ['target', 'surface'] }),
    usage,
    '/usage?bucket=day&by=target%2Csurface',
  ],
  'usage of everything': [(api: ApiClient) => api.usage({ by: [] }), usage, '/usage?by=none'],
} as const

for (const [name, [list, item, path]] of Object.entries(lists))
  test(`${name} is walked to its end`, async () => {
    let isFirst = true
    await using server = await standIn(() => {
      const items = isFirst ? [item, item] : [item]
      const offset = isFirst ? 0 : 2
      const more = isFirst
      isFirst = false
      return name === 'sessions'
        ? { items, total: 3, offset, limit: 2 }
        : { items, next_cursor: more ? 'c2' : null, has_more: more }
    })
    const items: unknown[] = await drain<unknown>(list(apiClient(server.url)))
    assert.deepEqual(items, [item, item, item])
    assert.equal(server.received[0]?.line, `GET /api/v1${path}`)
    assert.match(server.received[1]?.line ?? '', /[?&](?:cursor=c2|offset=2)\b/)
  })

test('a refusal has the code, the words and the scopes of the server, and not the token', async () => {
  await using server = await standIn((_, response) => {
    response.writeHead(403, {
      'content-type': 'application/problem+json',
      'www-authenticate': 'Bearer error="insufficient_scope", scope="keys:write"',
    })
    response.end(JSON.stringify({ code: 'insufficient_scope', detail: 'not with secret-token', status: 403 }))
    return 'written'
  })
  const api = apiClient(server.url, { headers: { authorization: 'Bearer secret-token' } })
  await assert.rejects(api.revokeKey(id), (error: unknown) => {
    assert.ok(error instanceof ClientError)
    assert.deepEqual(
      [error.code, error.status, error.reason, error.scopes],
      ['insufficient_scope', 403, 'insufficient_scope', ['keys:write']],
    )
    assert.equal(error.message, `DELETE ${server.url}/api/v1/keys/${id} answered 403: not with [redacted]`)
    return true
  })
})

test('what a fetch that signs in says is passed on, from a call and from a list', async () => {
  const fetch: typeof globalThis.fetch = async () => {
    throw new ClientError('sign_in_required', 'sign in first')
  }
  const api = apiClient('https://gate.example', { fetch })
  await assert.rejects(api.key(id), isClientError('sign_in_required'))
  await assert.rejects(drain(api.keys()), isClientError('sign_in_required', null))
})

test('an id cannot lead to another path', async () => {
  await using server = await standIn(() => undefined)
  await apiClient(`${server.url}/api/v1/`).revokeKey('../sessions/1?x')
  assert.equal(server.received[0]?.line, 'DELETE /api/v1/keys/..%2Fsessions%2F1%3Fx')
})

for (const address of ['gate', 'ftp://gate.example', 'https://a:b@gate.example', 'https://gate.example?x=1'])
  test(`${address} is no address of a gateway`, () => {
    assert.throws(() => apiClient(address), isClientError('invalid_option'))
  })
