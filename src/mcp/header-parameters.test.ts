import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from 'typebox'
import { legacy, modern } from '../../test/mcp/messages.ts'
import { serveTools } from '../../test/mcp/tool-server.ts'
import { defineTool } from './define-tool.ts'
import { headerParametersOf } from './header-parameters.ts'

function headed(name: unknown, schema: object = { type: 'string' }): object {
  return { ...schema, 'x-mcp-header': name }
}

test('parameters are found at any depth below properties, and their header is in lower case', () => {
  const schema = {
    type: 'object',
    properties: {
      region: headed('Region'),
      place: { type: 'object', properties: { floor: headed('Floor', { type: 'integer' }) } },
      list: { type: 'array', items: headed('Never') },
    },
  }
  assert.deepEqual(headerParametersOf(schema), [
    { header: 'mcp-param-region', path: ['region'], type: 'string' },
    { header: 'mcp-param-floor', path: ['place', 'floor'], type: 'integer' },
  ])
})

const wrong: readonly (readonly [what: string, properties: object])[] = [
  ['an empty name', { a: headed('') }],
  ['a name with a space', { a: headed('A B') }],
  ['a name that is no text', { a: headed(7) }],
  ['a number', { a: headed('A', { type: 'number' }) }],
  ['an object', { a: headed('A', { type: 'object' }) }],
  ['two names that differ only in case', { a: headed('Region'), b: headed('REGION') }],
]
for (const [what, properties] of wrong)
  test(`a schema with x-mcp-header on ${what} is refused`, () => {
    assert.throws(() => headerParametersOf({ type: 'object', properties }), { code: 'misconfigured' })
  })

const { post } = serveTools({
  tools: [
    defineTool({
      name: 'go',
      description: 'Goes.',
      scopes: [],
      input: Type.Object({
        region: Type.Optional(Type.Union([Type.String(), Type.Null()])),
        count: Type.Optional(Type.Integer({ 'x-mcp-header': 'Count' })),
        fast: Type.Optional(Type.Boolean({ 'x-mcp-header': 'Fast' })),
        place: Type.Optional(Type.Object({ city: Type.String({ 'x-mcp-header': 'City' }) })),
      }),
      run: () => 'gone',
    }),
  ],
})

const rows: readonly (readonly [
  claim: string,
  input: object,
  headers: Record<string, string>,
  status: number,
])[] = [
  ['an equal header is accepted', { place: { city: 'Bonn' } }, { 'mcp-param-city': 'Bonn' }, 200],
  ['white space around it is passed over', { place: { city: 'Bonn' } }, { 'mcp-param-city': ' Bonn ' }, 200],
  ['another value is refused', { place: { city: 'Bonn' } }, { 'mcp-param-city': 'Ulm' }, 400],
  ['another case is refused', { place: { city: 'Bonn' } }, { 'mcp-param-city': 'bonn' }, 400],
  ['a missing header is refused', { place: { city: 'Bonn' } }, {}, 400],
  [
    'an encoded value is decoded',
    { place: { city: 'Köln' } },
    { 'mcp-param-city': '=?base64?S8O2bG4=?=' },
    200,
  ],
  [
    'a broken encoding is refused',
    { place: { city: 'Köln' } },
    { 'mcp-param-city': '=?base64?S8O2bG4?=' },
    400,
  ],
  [
    'bytes that are no text are refused',
    { place: { city: '\ufffd' } },
    { 'mcp-param-city': '=?base64?/w==?=' },
    400,
  ],
  ['integers are compared as numbers', { count: 42 }, { 'mcp-param-count': '42.0' }, 200],
  ['another integer is refused', { count: 42 }, { 'mcp-param-count': '43' }, 400],
  ['a boolean is a word', { fast: true }, { 'mcp-param-fast': 'true' }, 200],
  ['another boolean is refused', { fast: true }, { 'mcp-param-fast': 'True' }, 400],
  ['no argument needs no header', {}, {}, 200],
  ['a header nobody declared is ignored', {}, { 'mcp-param-other': 'x' }, 200],
]
for (const [claim, input, headers, status] of rows)
  test(`Mcp-Param: ${claim}`, async () => {
    const { body, options } = modern('tools/call', { name: 'go', arguments: input }, { headers })
    const response = await post(body, options)
    assert.equal(response.statusCode, status, response.body)
    if (status === 400) assert.equal(response.json().error.code, -32020)
  })

test('in the older era parameters have no headers', async () => {
  const { body, options } = legacy('tools/call', { name: 'go', arguments: { count: 42 } })
  assert.equal((await post(body, options)).statusCode, 200)
})
