import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../../src/failure/failure.ts'
import { sqlite } from '../store/engines.ts'
import { startAdminServer } from './admin-server.ts'

const engine = sqlite
const someId = '019a8e0c-5f2b-7c41-9a3e-0123456789ab'

/** Every operation, with a request that gets as far as its scope. */
const operations = [
  ['GET', '/sessions', ['sessions:read', 'own:read']],
  ['GET', `/sessions/${someId}`, ['sessions:read', 'own:read']],
  ['DELETE', `/sessions/${someId}`, ['sessions:write', 'own:write']],
  ['GET', '/events', ['events:read', 'own:read']],
  ['GET', '/events:stream', ['events:read', 'own:read']],
  ['GET', '/keys', ['keys:read']],
  ['POST', '/keys', ['keys:write']],
  ['GET', `/keys/${someId}`, ['keys:read']],
  ['PATCH', `/keys/${someId}`, ['keys:write']],
  ['DELETE', `/keys/${someId}`, ['keys:write']],
  ['POST', `/keys/${someId}:rotate`, ['keys:write']],
  ['GET', '/service-accounts', ['service-accounts:read']],
  ['POST', '/service-accounts', ['service-accounts:write']],
  ['GET', `/service-accounts/${someId}`, ['service-accounts:read']],
  ['PATCH', `/service-accounts/${someId}`, ['service-accounts:write']],
  ['DELETE', `/service-accounts/${someId}`, ['service-accounts:write']],
  ['POST', `/service-accounts/${someId}:rotate`, ['service-accounts:write']],
  ['DELETE', `/service-accounts/${someId}/keys/${'ab'.repeat(20)}`, ['service-accounts:write']],
  ['GET', '/usage', ['usage:read', 'own:read']],
] as const

test('these are all operations that the document knows', async () => {
  await using admin = await startAdminServer({ engine })
  const { paths } = (await admin.server.inject('/api/v1/openapi.json')).json()
  const told = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(Object(item)).map((method) => `${method.toUpperCase()} ${path}`),
  )
  const tested = operations.map(
    ([method, path]) => `${method} ${path.replace(someId, '{id}').replace('ab'.repeat(20), '{kid}')}`,
  )
  assert.deepEqual(told.toSorted(), tested.toSorted())
})

test('every operation wants a token for this resource, and tells where to get one and with which scopes', async () => {
  await using admin = await startAdminServer({ engine })
  const metadata = `${admin.publicUrl}/.well-known/oauth-protected-resource/api`
  for (const [method, path, scopes] of operations) {
    const without = await admin.call(path, { method, token: null })
    assert.equal(without.statusCode, 401)
    assert.equal(
      without.headers['www-authenticate'],
      `Bearer resource_metadata="${metadata}", scope="${scopes.join(' ')}"`,
    )
    const bad = await admin.call(path, { method, token: 'not.a.token' })
    assert.equal(bad.statusCode, 401)
    assert.match(String(bad.headers['www-authenticate']), /error="invalid_token"/)
    assert.equal(bad.headers['content-type'], 'application/problem+json')
  }
  const document = (await admin.server.inject(new URL(metadata).pathname)).json()
  assert.equal(document.resource, `${admin.publicUrl}/api`)
  assert.deepEqual(
    new Set(document.scopes_supported),
    new Set(operations.flatMap(([, , scopes]) => [...scopes])),
  )
})

test('a token that holds every other scope opens nothing, and the refusal names all that would', async () => {
  await using admin = await startAdminServer({ engine })
  const all = [...new Set(operations.flatMap(([, , scopes]) => [...scopes]))]
  for (const [method, path, scopes] of operations) {
    const others = all.filter((scope) => !scopes.some((one) => one === scope))
    const refused = await admin.call(path, { method, token: admin.token(others.join(' ')) })
    assert.equal(refused.statusCode, 403, `${method} ${path}`)
    assert.equal(refused.json().code, 'insufficient_scope')
    const challenge = String(refused.headers['www-authenticate'])
    assert.match(challenge, /error="insufficient_scope"/)
    assert.ok(challenge.endsWith(`scope="${scopes.join(' ')}"`), challenge)
  }
})

test('a token for another resource of the same gateway is refused', async () => {
  await using admin = await startAdminServer({ engine })
  const token = admin.tokenWith({ aud: `${admin.publicUrl}/mcp`, scope: 'keys:read' })
  assert.equal((await admin.call('/keys', { token })).statusCode, 401)
})

test('one decision is told for each request, with what was asked for and why it went as it did', async () => {
  await using admin = await startAdminServer({ engine })
  await admin.call(`/keys/${someId}`)
  await admin.call('/keys?limit=0')
  await admin.call('/keys', { token: null })
  await admin.call('/keys', { token: admin.token('own:read', 'bob') })
  await admin.call('/keys')
  await admin.server.inject('/api/v1/openapi.json')
  await admin.call('/nothing')
  const told = admin.decisions.map(
    ({ surface, action, target, needed, outcome, reason, status, principal }) => [
      surface,
      action,
      target,
      needed.join(' '),
      outcome,
      reason,
      status,
      principal?.subject,
    ],
  )
  const list = 'GET /api/v1/keys'
  assert.deepEqual(told, [
    ['api', 'GET /api/v1/keys/{id}', someId, 'keys:read', 'deny', 'not-found', 404, 'root'],
    ['api', list, undefined, 'keys:read', 'deny', 'invalid_limit', 400, 'root'],
    ['api', list, undefined, 'keys:read', 'deny', 'missing_token', 401, undefined],
    ['api', list, undefined, 'keys:read', 'deny', 'insufficient_scope', 403, 'bob'],
    ['api', list, undefined, 'keys:read', 'allow', 'ok', 200, 'root'],
  ])
})

test('the record says which key, session or service account a request was about, refused or not', async () => {
  await using admin = await startAdminServer({ engine })
  const kid = 'ab'.repeat(20)
  const robot = { name: 'robot', scopes: ['a:b'] }
  const key = (await admin.call('/keys', { method: 'POST', body: { name: 'nightly' } })).json().id
  const account = (await admin.call('/service-accounts', { method: 'POST', body: robot })).json().id
  const asked = [
    ['POST', `/keys/${key}:rotate`, key],
    ['DELETE', `/keys/${key}`, key],
    ['PATCH', `/service-accounts/${account}`, account],
    ['DELETE', `/service-accounts/${account}/keys/${kid}`, `${account}/${kid}`],
    ['DELETE', `/service-accounts/${account}/keys/none`, undefined],
    ['DELETE', `/sessions/${someId}`, someId],
    ['GET', '/keys/postern_not-an-id', undefined],
  ] as const
  for (const [method, path] of asked) await admin.call(path, { method })
  for (const token of [null, admin.token('own:read')])
    await admin.call(`/keys/${key}`, { method: 'DELETE', token })
  assert.deepEqual(
    admin.decisions.map(({ target }) => target),
    [key, account, ...asked.map(([, , target]) => target), key, key],
  )
})

test('an answer waits until its decision is on record', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  await using admin = await startAdminServer({ engine, recorded: () => promise })
  let answered = 0
  const calls = [admin.call('/keys'), admin.call('/keys?limit=0'), admin.call('/keys', { token: null })]
  const counted = calls.map(async (call) => {
    const { statusCode } = await call
    answered += 1
    return statusCode
  })
  while (admin.decisions.length < 3) await new Promise(setImmediate)
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate)
  assert.equal(answered, 0)
  resolve()
  assert.deepEqual(await Promise.all(counted), [200, 400, 401])
})

test('what cannot be recorded is not answered: good answers, refusals and streams alike become 503', async () => {
  const broken = (): Promise<void> => Promise.reject(new Failure('unavailable', 'the disk is full'))
  await using admin = await startAdminServer({ engine, recorded: broken })
  for (const path of ['/keys', '/keys?limit=0', '/events:stream'])
    for (const token of [undefined, null]) {
      const answer = await admin.call(path, token === null ? { token } : {})
      assert.equal(answer.statusCode, 503)
      assert.equal(answer.json().code, 'record_unavailable')
      assert.equal(answer.headers['retry-after'], '1')
      assert.equal(answer.headers['content-type'], 'application/problem+json')
    }
})

test('a caller over the limit is told when to come back', async () => {
  const asked: string[] = []
  await using admin = await startAdminServer({
    engine,
    admission: {
      request: ({ subject }) => {
        asked.push(subject)
        throw new Failure('limit-exceeded', 'enough', { reason: 'quota', retryAfterSeconds: 12 })
      },
      target: () => undefined,
    },
  })
  const answer = await admin.call('/keys')
  assert.equal(answer.statusCode, 429)
  assert.equal(answer.headers['retry-after'], '12')
  assert.equal((await admin.call('/keys', { token: null })).statusCode, 401)
  assert.deepEqual(asked, ['root'])
})

test('a parameter that is not known is refused by name, with the one that was meant', async () => {
  await using admin = await startAdminServer({ engine })
  const cases = [
    ['/keys?limits=3', 'limits', /did you mean "limit"/],
    ['/sessions?offst=3', 'offst', /did you mean "offset"/],
    ['/events?desicion=deny', 'desicion', /did you mean "decision"/],
    ['/events?colour=red', 'colour', /known are principal, issuer/],
    [`/keys/${someId}?x=1`, 'x', /there are none here/],
    ['/events?decision=maybe', 'decision', /allow/],
    ['/events?decision=deny&decision=allow', 'decision', /given once/],
    ['/events?from=yesterday', 'from', /RFC 3339|date-time/],
    ['/events?issuer=https://a.example', 'issuer', /beside a principal/],
    ['/events?order=random', 'order', /newest/],
    ['/usage?by=colour', 'by', /pattern|must/],
  ] as const
  for (const [path, field, words] of cases) {
    const refused = await admin.call(path)
    assert.equal(refused.statusCode, 400, path)
    assert.equal(refused.json().field, field)
    assert.match(refused.json().detail, words)
  }
})

test('paths, methods, media types and sizes that are not served are refused as such', async () => {
  await using admin = await startAdminServer({ engine })
  assert.equal((await admin.call('/nothing')).statusCode, 404)
  const method = await admin.call(`/keys/${someId}`, { method: 'POST' })
  assert.equal(method.statusCode, 405)
  assert.equal(method.headers.allow, 'DELETE, GET, PATCH')
  const media = await admin.call('/keys', {
    method: 'POST',
    body: 'name=x',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
  assert.equal(media.statusCode, 415)
  const large = await admin.call('/keys', { method: 'POST', body: { name: 'x'.repeat(65_536) } })
  assert.equal(large.statusCode, 413)
  const body = await admin.call(`/sessions/${someId}`, { method: 'DELETE', body: {} })
  assert.equal(body.statusCode, 400)
})

test('a request that is called JSON and has no body is one without a body, where none is needed', async () => {
  await using admin = await startAdminServer({ engine })
  const { id } = (await admin.call('/keys', { method: 'POST', body: { name: 'one' } })).json()
  const headers = { 'content-type': 'application/json' }
  const next = await admin.call(`/keys/${id}:rotate`, { method: 'POST', headers })
  assert.equal(next.statusCode, 201, next.body)
  assert.equal((await admin.call(`/keys/${id}`)).json().replaced_by, next.json().id)
  const ended = await admin.call(`/keys/${id}`, { method: 'DELETE', headers })
  assert.equal(ended.statusCode, 204, ended.body)
  assert.equal((await admin.call(`/keys/${id}`)).json().state, 'revoked')
  const needed = [
    ['/keys', 'POST'],
    [`/keys/${next.json().id}`, 'PATCH'],
  ] as const
  for (const [path, method] of needed) {
    const refused = await admin.call(path, { method, headers })
    assert.equal(refused.statusCode, 400)
    assert.match(refused.json().detail, /^the body is empty; send JSON/)
  }
})
