import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { Type } from 'typebox'
import { legacy, modern } from '../../test/mcp/messages.ts'
import { metadata, resource, serveTools } from '../../test/mcp/tool-server.ts'
import { defineTool } from './define-tool.ts'

const input = Type.Object({ text: Type.String() }, { additionalProperties: false })
const read = defineTool({
  name: 'read',
  description: 'Reads.',
  scopes: ['notes:read'],
  input,
  run: ({ text }, { principal }) => `${principal.subject} read ${text}`,
})
const write = defineTool({
  name: 'write',
  description: 'Writes.',
  scopes: { allOf: ['notes:write', 'notes:sync'], anyOf: ['team:a', 'team:b'] },
  input,
  run: () => 'written',
})
const either = defineTool({
  name: 'either',
  description: 'For two teams.',
  scopes: { allOf: [], anyOf: ['team:a', 'team:b'] },
  input,
  run: () => 'done',
})
const bound = defineTool({
  name: 'bound',
  description: 'For tokens bound to a key.',
  scopes: ['notes:read'],
  dpop: true,
  input,
  run: () => 'proved',
})
const served = serveTools({
  tools: [write, read, either, bound],
  settings: '{ scopeIncludes: { notes:admin: [notes:write], notes:write: [notes:read] } }',
})
const { post, decisions, server } = served
const eras = [
  ['the newer era', modern],
  ['the older era', legacy],
] as const

function callOf(name: string): { readonly name: string; readonly arguments: { readonly text: string } } {
  return { name, arguments: { text: 'x' } }
}

for (const [era, message] of eras) {
  test(`in ${era} a request without a token gets 401 and a challenge that names no error`, async () => {
    const { body, options } = message('tools/call', callOf('read'))
    const response = await post(body, { ...options, token: null })
    assert.equal(response.statusCode, 401)
    assert.equal(
      response.headers['www-authenticate'],
      `Bearer resource_metadata="${metadata}", scope="notes:read notes:sync notes:write team:a"`,
    )
    assert.equal(response.json().jsonrpc, '2.0')
  })

  test(`in ${era} a bad token gets 401 with invalid_token and a description`, async () => {
    const { body, options } = message('tools/list')
    const response = await post(body, { ...options, token: 'bad' })
    assert.equal(response.statusCode, 401)
    assert.match(
      String(response.headers['www-authenticate']),
      /^Bearer resource_metadata="[^"]+", error="invalid_token", error_description="the token is not good", scope="/,
    )
  })

  test(`in ${era} too little scope gets 403 with all scopes of the call in one challenge`, async () => {
    const { body, options } = message('tools/call', callOf('write'))
    const response = await post(body, { ...options, token: 'ann+notes.sync' })
    const { code, message: text, data } = response.json().error
    assert.deepEqual([response.statusCode, code, text], [403, 403, 'insufficient scope'])
    assert.deepEqual(data.requiredScopes, ['notes:write', 'notes:sync', 'team:a'])
    assert.equal(
      response.headers['www-authenticate'],
      `Bearer resource_metadata="${metadata}", error="insufficient_scope", error_description="write needs notes:write notes:sync team:a", scope="notes:write notes:sync team:a"`,
    )
  })

  test(`in ${era} a wider scope, a wildcard and one of several teams are enough`, async () => {
    for (const [tool, token] of [
      ['read', 'ann+notes.read'],
      ['read', 'ann+notes.admin'],
      ['read', 'ann+notes.*'],
      ['either', 'ann+team.b'],
      ['write', 'ann+notes.*+team.b'],
    ] as const) {
      const { body, options } = message('tools/call', callOf(tool))
      const response = await post(body, { ...options, token })
      assert.equal(response.statusCode, 200, `${tool} with ${token}: ${response.body}`)
    }
  })

  test(`in ${era} a tool for bound tokens refuses a plain one with a DPoP challenge`, async () => {
    const { body, options } = message('tools/call', callOf('bound'))
    const plain = await post(body, { ...options, token: 'ann+notes.read' })
    const proved = await post(body, { ...options, token: 'ann~+notes.read' })
    assert.equal(plain.statusCode, 401)
    assert.match(
      String(plain.headers['www-authenticate']),
      /error="invalid_token".*,DPoP error="invalid_token", algs="ES256 /,
    )
    assert.equal(proved.statusCode, 200)
  })
}

test('in the newer era the refusal comes from the headers, before the body is read', async () => {
  const { options } = modern('tools/call', callOf('read'))
  const response = await post('this is not even JSON', { ...options, token: 'ann' })
  assert.deepEqual([response.statusCode, response.json().id], [403, undefined])
})

test('a body that names another tool than the headers is refused, whatever the headers were good for', async () => {
  const { options } = modern('tools/call', callOf('read'))
  const { body } = modern('tools/call', callOf('write'))
  const response = await post(body, { ...options, token: 'ann+notes.read' })
  assert.deepEqual([response.statusCode, response.json().error.code], [400, -32020])
})

test('a token in the URL or a second credential is refused as malformed, with 400', async () => {
  const { body } = legacy('tools/list')
  const inUrl = await server.inject({ method: 'POST', url: '/mcp?access_token=alice', payload: body })
  const second = await post(body, { headers: { 'x-api-key': 'k' } })
  for (const response of [inUrl, second]) {
    assert.equal(response.statusCode, 400)
    assert.match(String(response.headers['www-authenticate']), /error="invalid_request"/)
  }
})

test('when nobody can say whether a token is good, the answer is 503 and no challenge', async () => {
  const { body, options } = legacy('tools/list')
  const response = await post(body, { ...options, token: 'down' })
  assert.deepEqual([response.statusCode, response.headers['www-authenticate']], [503, undefined])
  assert.equal(response.headers['retry-after'], '1')
})

for (const method of ['GET', 'DELETE', 'PUT', 'PATCH'] as const)
  test(`${method} is answered with 405 and the method that works`, async () => {
    const response = await server.inject({ method, url: '/mcp' })
    assert.deepEqual([response.statusCode, response.headers.allow], [405, 'POST'])
    assert.equal(response.json().jsonrpc, '2.0')
  })

test('a foreign origin is refused with 403 and a JSON-RPC error without an id', async () => {
  const { body, options } = legacy('ping')
  const response = await post(body, { headers: { ...options.headers, origin: 'https://evil.example' } })
  assert.equal(response.statusCode, 403)
  assert.deepEqual(Object.keys(response.json()), ['jsonrpc', 'error'])
})

const bodies = [
  ['a body of another type', { 'content-type': 'text/plain' }, '{}', 415],
  ['a body above the limit', {}, `{"x":"${'x'.repeat(1_100_000)}"}`, 413],
  ['an answer in a form we do not have', { accept: 'text/html' }, '{}', 406],
] as const
for (const [what, headers, body, status] of bodies)
  test(`${what} is refused with ${status} on the JSON-RPC wire`, async () => {
    const response = await post(body, { headers })
    assert.equal(response.statusCode, status)
    assert.equal(typeof response.json().error.code, 'number')
  })

test('an unknown tool and malformed arguments are errors of the call', async () => {
  for (const params of [{ name: 'gone' }, { name: 7 }, {}, { name: 'read', arguments: [] }]) {
    const { body, options } = legacy('tools/call', params)
    const response = await post(body, { ...options, token: 'ann+notes.read' })
    assert.deepEqual([response.statusCode, response.json().error.code], [200, -32602])
    assert.equal(response.json().id, 1)
  }
})

for (const path of ['', '/mcp'])
  test(`the metadata at the well-known path with "${path}" behind it is open, cacheable and complete`, async () => {
    const url = `/.well-known/oauth-protected-resource${path}`
    const response = await server.inject({ url, headers: { origin: 'https://anywhere.example' } })
    assert.equal(response.statusCode, 200)
    assert.equal(response.headers['access-control-allow-origin'], '*')
    assert.match(String(response.headers['cache-control']), /^public, max-age=\d+$/)
    assert.match(String(response.headers['content-type']), /^application\/json/)
    const { resource_documentation, resource_name, dpop_signing_alg_values_supported, ...rest } =
      response.json()
    assert.ok(resource_documentation && resource_name && dpop_signing_alg_values_supported.includes('ES256'))
    assert.deepEqual(rest, {
      resource,
      authorization_servers: ['https://login.example'],
      scopes_supported: ['notes:read', 'notes:sync', 'notes:write', 'team:a'],
      bearer_methods_supported: ['header'],
      code_challenge_methods_supported: ['S256'],
    })
    const preflight = await server.inject({
      method: 'OPTIONS',
      url,
      headers: { origin: 'https://a.example' },
    })
    assert.deepEqual(
      [preflight.statusCode, preflight.headers['access-control-allow-headers']],
      [204, 'mcp-protocol-version'],
    )
  })

test('a client without a token is told to ask for the scopes that the configuration names', async () => {
  const { post: ask } = serveTools({ tools: [read, write], settings: '{ initialScopes: [notes:read] }' })
  const response = await ask({}, { token: null })
  assert.match(String(response.headers['www-authenticate']), /scope="notes:read"$/)
})

test('no challenge and no metadata names offline_access', async () => {
  const tool = defineTool({
    name: 'greedy',
    description: 'Asks too much.',
    scopes: ['offline_access', 'a'],
    input,
    run: () => '',
  })
  const { post: ask, server: greedy } = serveTools({ tools: [tool] })
  const response = await ask(modern('tools/call', callOf('greedy')).body, { token: 'ann' })
  const document = await greedy.inject('/.well-known/oauth-protected-resource')
  assert.doesNotMatch(String(response.headers['www-authenticate']) + document.body, /offline/)
})

test('a thousand parallel calls with the same id from different principals do not cross', async () => {
  const slow = defineTool({
    name: 'slow',
    description: 'Waits its turn.',
    scopes: [],
    input,
    run: async ({ text }, { principal }) => {
      for (let left = text.length % 7; left > 0; left -= 1) await turn()
      return `${principal.subject} ${text}`
    },
  })
  const { post: ask } = serveTools({ tools: [slow] })
  const answers = await Promise.all(
    Array.from({ length: 1000 }, async (_, index) => {
      const text = 'x'.repeat(index)
      const [, message] = eras[index % 2] ?? eras[0]
      const { body, options } = message('tools/call', { name: 'slow', arguments: { text } })
      const { id, result } = (await ask(body, { ...options, token: `user-${index}` })).json()
      return id === 1 && result.content[0].text === `user-${index} ${text}`
    }),
  )
  assert.equal(answers.filter(Boolean).length, 1000)
})

test('every decision is told once, with who, what, why and how long', async () => {
  decisions.length = 0
  const allowed = modern('tools/call', callOf('read'))
  await post(allowed.body, { ...allowed.options, token: 'ann+notes.read' })
  await post(allowed.body, { ...allowed.options, token: 'ann' })
  await post(allowed.body, { ...allowed.options, token: null })
  await post(legacy('tools/list').body, { token: 'ann' })
  await post('{', { token: 'ann' })
  assert.deepEqual(
    decisions.map((one) => [
      one.principal?.subject,
      one.action,
      one.target,
      one.outcome,
      one.reason,
      one.status,
    ]),
    [
      ['ann', 'tools/call', 'read', 'allow', 'ok', 200],
      ['ann', 'tools/call', 'read', 'deny', 'insufficient_scope', 403],
      [undefined, '', undefined, 'deny', 'missing_token', 401],
      ['ann', 'tools/list', undefined, 'allow', 'ok', 200],
      ['ann', '', undefined, 'deny', 'parse_error', 400],
    ],
  )
  const [first] = decisions
  assert.deepEqual(
    [first?.needed, first?.held, first?.revision],
    [['notes:read'], ['notes:read'], '2026-07-28'],
  )
  assert.ok(first !== undefined && first.durationMs > 0 && Math.abs(first.time / 1000 - Date.now()) < 60_000)
  assert.equal(new Set(decisions.map(({ requestId }) => requestId)).size, 5)
})

test('what a decision and an answer hold never includes the token', async () => {
  decisions.length = 0
  const { body, options } = modern('tools/call', callOf('read'))
  const response = await post(body, { ...options, token: 'bad-secret-token' })
  assert.doesNotMatch(JSON.stringify([decisions, response.headers, response.body]), /secret-token/)
})
