import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Type } from 'typebox'
import { defineTool } from '../../src/mcp/define-tool.ts'
import { legacy, modern } from './messages.ts'
import { serveTools } from './tool-server.ts'

const names =
  `name arguments cursor _meta progressToken protocolVersion capabilities clientInfo text count when of inner
io.modelcontextprotocol/protocolVersion io.modelcontextprotocol/clientCapabilities constructor toString valueOf then`.split(
    /\s/,
  )

const odd: readonly unknown[] =
  JSON.parse(`["", "tool", "\\u0000", "\\ud800", "2025-11-25", null, true, -0, 1.5,
  9007199254740993, 1e300, [], {}, { "toString": "" }, { "toString": "", "valueOf": "" },
  [{ "toString": "", "valueOf": 1 }]]`)

const { members } = fc.letrec<{ members: Record<string, unknown>; value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom(...odd),
    tie('members'),
    fc.array(tie('value'), { maxLength: 3 }),
  ),
  members: fc.dictionary(fc.constantFrom(...names), tie('value'), { maxKeys: 6, noNullPrototype: true }),
}))

const tool = defineTool({
  name: 'tool',
  description: 'says back what it was given',
  scopes: [],
  input: Type.Object({
    text: Type.Optional(Type.String({ maxLength: 3, pattern: '^a' })),
    count: Type.Optional(Type.Union([Type.Integer({ minimum: 1 }), Type.Literal('none')])),
    of: Type.Optional(Type.Array(Type.Unknown(), { uniqueItems: true })),
    inner: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  }),
  run: (input) => JSON.stringify(input),
})

for (const [era, write] of Object.entries({ modern, legacy }))
  test(`whatever a message of the ${era} era holds, the server answers and does not fail`, async () => {
    const { server, post } = serveTools({ tools: [tool] })
    const methods = fc.constantFrom('tools/call', 'tools/list', 'initialize', 'ping', 'constructor')
    await fc.assert(
      fc.asyncProperty(methods, members, members, async (method, params, input) => {
        const { body, options } = write(method, { name: 'tool', arguments: input, ...params })
        const { statusCode, body: text } = await post(body, options)
        assert.ok(statusCode < 500, text)
        assert.doesNotMatch(text, /tool failed; the log/)
      }),
      { numRuns: 500 },
    )
    await server.close()
  })
