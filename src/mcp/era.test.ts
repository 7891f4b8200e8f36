import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from 'typebox'
import { legacy, modern, modernMeta } from '../../test/mcp/messages.ts'
import { serveTools } from '../../test/mcp/tool-server.ts'
import { defineTool } from './define-tool.ts'
import { metaKeys, modernRevision } from './revisions.ts'

const echo = defineTool({
  name: 'echo',
  description: 'Says it again.',
  scopes: [],
  input: Type.Object({ text: Type.String() }),
  run: ({ text }) => text,
})
const { post } = serveTools({ tools: [echo] })
const call = { name: 'echo', arguments: { text: 'hi' } }
const version = 'mcp-protocol-version'
const { [metaKeys.clientCapabilities]: _capabilities, ...withoutCapabilities } = modernMeta

type Row = readonly [
  claim: string,
  body: unknown,
  headers: Readonly<Record<string, string>>,
  status: number,
  code: number | undefined,
]

function request(method: string, params: unknown): object {
  return { jsonrpc: '2.0', id: 7, method, params }
}

function notice(method: string, params: object = {}): object {
  return { jsonrpc: '2.0', method, params }
}

const modernHeaders = { [version]: modernRevision, 'mcp-method': 'tools/list' }
const list = request('tools/list', { _meta: modernMeta })

const rows: readonly Row[] = [
  ['a batch is refused in the older era', [request('ping', {})], {}, 400, -32600],
  ['a batch is refused in the newer era', [list], modernHeaders, 400, -32600],
  ['an empty batch is refused', [], {}, 400, -32600],
  ['a broken body is refused', '{"jsonrpc":', {}, 400, -32700],
  ['a body that is no object is refused', '"ping"', {}, 400, -32600],
  ['an empty body is refused', '', {}, 400, -32600],
  ['a message without its version marker is refused', { id: 7, method: 'ping' }, {}, 400, -32600],
  ['an id of null is refused', { ...request('ping', {}), id: null }, {}, 400, -32600],
  ['a fractional id is refused', { ...request('ping', {}), id: 1.5 }, {}, 400, -32600],
  ['a response is refused', { jsonrpc: '2.0', id: 7, result: {} }, {}, 400, -32600],
  ['params that are a list are refused', request('ping', []), {}, 200, -32602],
  [
    'a notification with params that are a list is refused',
    { jsonrpc: '2.0', method: 'x', params: [] },
    {},
    400,
    -32602,
  ],
  ['initialize without any header begins the older era', request('initialize', {}), {}, 200, undefined],
  [
    'initialize with a header of the older era is served',
    request('initialize', {}),
    { [version]: '2025-11-25' },
    200,
    undefined,
  ],
  [
    'initialize with a header of the newer era is refused',
    request('initialize', {}),
    { [version]: modernRevision },
    400,
    -32020,
  ],
  [
    'initialize with a newer envelope is unknown there',
    request('initialize', { _meta: modernMeta }),
    { [version]: modernRevision, 'mcp-method': 'initialize' },
    404,
    -32601,
  ],
  [
    'ping with a newer envelope is unknown there',
    request('ping', { _meta: modernMeta }),
    { [version]: modernRevision, 'mcp-method': 'ping' },
    404,
    -32601,
  ],
  ['a newer request with all it needs is served', list, modernHeaders, 200, undefined],
  [
    'an envelope with a version that is no text is refused',
    request('tools/list', { _meta: { ...modernMeta, [metaKeys.protocolVersion]: 7 } }),
    modernHeaders,
    400,
    -32602,
  ],
  [
    'an envelope without the capabilities of the client is refused',
    request('tools/list', { _meta: withoutCapabilities }),
    modernHeaders,
    400,
    -32602,
  ],
  [
    'a newer envelope without the version header is refused',
    list,
    { 'mcp-method': 'tools/list' },
    400,
    -32020,
  ],
  [
    'a version header that differs from the envelope is refused',
    list,
    { ...modernHeaders, [version]: '2025-11-25' },
    400,
    -32020,
  ],
  [
    'a version that nobody serves is refused',
    request('tools/list', { _meta: { ...modernMeta, [metaKeys.protocolVersion]: '2027-01-01' } }),
    { ...modernHeaders, [version]: '2027-01-01' },
    400,
    -32022,
  ],
  [
    'an older version in an envelope is refused',
    request('tools/list', { _meta: { ...modernMeta, [metaKeys.protocolVersion]: '2025-11-25' } }),
    { ...modernHeaders, [version]: '2025-11-25' },
    400,
    -32022,
  ],
  ['a newer request without Mcp-Method is refused', list, { [version]: modernRevision }, 400, -32020],
  [
    'a newer request with another Mcp-Method is refused',
    list,
    { ...modernHeaders, 'mcp-method': 'tools/call' },
    400,
    -32020,
  ],
  [
    'the value of Mcp-Method counts with its case',
    list,
    { ...modernHeaders, 'mcp-method': 'TOOLS/LIST' },
    400,
    -32020,
  ],
  ['a newer header without an envelope is refused', request('tools/list', {}), modernHeaders, 400, -32602],
  ['an older request without the version header is served', request('tools/list', {}), {}, 200, undefined],
  ['revision 2025-06-18 is served', request('tools/list', {}), { [version]: '2025-06-18' }, 200, undefined],
  ['revision 2025-11-25 is served', request('ping', {}), { [version]: '2025-11-25' }, 200, undefined],
  ['revision 2025-03-26 is not served', request('ping', {}), { [version]: '2025-03-26' }, 400, -32600],
  ['an older version nobody knows is refused', request('ping', {}), { [version]: '1999-01-01' }, 400, -32600],
  ['an unknown older method is an error in a 200', request('prompts/list', {}), {}, 200, -32601],
  ['server/discover is unknown in the older era', request('server/discover', {}), {}, 200, -32601],
  ['a notification of the handshake is accepted', notice('notifications/initialized'), {}, 202, undefined],
  ['any older notification is accepted', notice('notifications/cancelled'), {}, 202, undefined],
  ['a request sent as a notification is refused', notice('tools/call', call), {}, 404, -32601],
  [
    'a newer notification needs no envelope',
    notice('notifications/cancelled'),
    { [version]: modernRevision },
    202,
    undefined,
  ],
  [
    'a newer notification with another Mcp-Method is refused',
    notice('notifications/cancelled'),
    { [version]: modernRevision, 'mcp-method': 'ping' },
    400,
    -32020,
  ],
  [
    'the notification of the handshake is gone in the newer era',
    notice('notifications/initialized'),
    { [version]: modernRevision },
    404,
    -32601,
  ],
  [
    'a notification of a version that nobody serves is refused',
    notice('notifications/cancelled'),
    { [version]: '2027-01-01' },
    400,
    -32022,
  ],
]

for (const [claim, body, headers, status, code] of rows)
  test(`POST /mcp: ${claim}`, async () => {
    const response = await post(body, { headers })
    const error = response.body === '' ? undefined : response.json().error
    assert.deepEqual([response.statusCode, error?.code], [status, code], response.body)
  })

for (const method of ['logging/setLevel', 'resources/subscribe', 'resources/unsubscribe', 'unknown'])
  test(`${method} is answered with 404 and -32601 in the newer era, under the id of the request`, async () => {
    const { body, options } = modern(method)
    const response = await post(body, options)
    assert.deepEqual([response.statusCode, response.json().error.code, response.json().id], [404, -32601, 1])
  })

const names: readonly (readonly [claim: string, header: string | undefined, status: number])[] = [
  ['is needed where the body has a name', undefined, 400],
  ['has to be the name in the body', 'other', 400],
  ['counts with its case', 'ECHO', 400],
  ['may have white space around it', '  echo ', 200],
  ['may be encoded', `=?base64?${Buffer.from('echo').toString('base64')}?=`, 200],
  ['is refused when its encoding is broken', '=?base64?ZWNobw?=', 400],
  ['is refused when its markers are in upper case', '=?BASE64?ZWNobw==?=', 400],
]

for (const [claim, header, status] of names)
  test(`Mcp-Name ${claim}`, async () => {
    const { body, options } = modern('tools/call', call)
    const { 'mcp-name': _name, ...others } = options.headers ?? {}
    const response = await post(body, {
      headers: header === undefined ? others : { ...others, 'mcp-name': header },
    })
    assert.equal(response.statusCode, status, response.body)
    if (status === 400) assert.equal(response.json().error.code, -32020)
  })

test('a version that is not served is answered with those that are, and with what was asked for', async () => {
  const meta = { ...modernMeta, [metaKeys.protocolVersion]: 'v999.0.0' }
  const headers = { ...modernHeaders, [version]: 'v999.0.0' }
  const response = await post(request('tools/list', { _meta: meta }), { headers })
  const { supported, requested } = response.json().error.data
  const { body, options } = modern('server/discover')
  const discovered = (await post(body, options)).json().result.supportedVersions
  assert.equal(requested, 'v999.0.0')
  assert.ok(supported.length > 0 && supported.every((one: string) => discovered.includes(one)))
})

test('initialize echoes a version that is served, and else names the latest of its era', async () => {
  for (const [asked, answered] of [
    ['2025-06-18', '2025-06-18'],
    ['2025-11-25', '2025-11-25'],
    ['2024-11-05', '2025-11-25'],
    [modernRevision, '2025-11-25'],
  ]) {
    const { body, options } = legacy('initialize', { protocolVersion: asked, capabilities: {} })
    const response = await post(body, options)
    const { protocolVersion, capabilities, serverInfo } = response.json().result
    assert.deepEqual([protocolVersion, capabilities, serverInfo.name], [answered, { tools: {} }, 'postern'])
    assert.equal(response.headers['mcp-session-id'], undefined)
  }
})

test('server/discover names versions, capabilities and server, and says how long that holds', async () => {
  const { body, options } = modern('server/discover')
  assert.deepEqual((await post(body, options)).json().result, {
    resultType: 'complete',
    _meta: { [metaKeys.serverInfo]: { name: 'postern', version: '0.1.0' } },
    supportedVersions: ['2026-07-28', '2025-11-25', '2025-06-18'],
    capabilities: { tools: {} },
    ttlMs: 3_600_000,
    cacheScope: 'private',
  })
})

test('ping is answered with an empty result', async () => {
  const { body, options } = legacy('ping')
  assert.deepEqual((await post(body, options)).json(), { jsonrpc: '2.0', id: 1, result: {} })
})

test('a session id and a place to resume from are ignored, and none is given', async () => {
  const { body, options } = modern('tools/call', call)
  const headers = { ...options.headers, 'mcp-session-id': 'abc', 'last-event-id': '7' }
  const response = await post(body, { headers })
  assert.deepEqual([response.statusCode, response.headers['mcp-session-id']], [200, undefined])
})

test('results say in the newer era that they are complete, and in the older one nothing of it', async () => {
  const newer = modern('tools/call', call)
  const older = legacy('tools/call', call)
  const content = [{ type: 'text', text: 'hi' }]
  const { resultType, content: got } = (await post(newer.body, newer.options)).json().result
  assert.deepEqual([resultType, got], ['complete', content])
  assert.deepEqual((await post(older.body, older.options)).json().result, { content })
})

for (const id of [0, -5, 'a "quoted" \u2028 id', ''])
  test(`an answer comes under the id ${JSON.stringify(id)} of its request`, async () => {
    const response = await post({ jsonrpc: '2.0', id, method: 'ping' })
    assert.equal(response.json().id, id)
  })
