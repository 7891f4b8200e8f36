import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../../failure/failure.ts'
import type { GenerateRequest, Tool, ToolConfig } from '../content.ts'
import { toolFields } from './tools.ts'

type Tooling = Pick<GenerateRequest, 'tools' | 'toolConfig'>

const fieldsOf = (request: Tooling): ReturnType<typeof toolFields> => toolFields({ contents: [], ...request })
const declare = (...names: readonly string[]): readonly Tool[] => [
  { functionDeclarations: names.map((name) => ({ name })) },
]
const named = (...names: readonly string[]): unknown =>
  names.map((name) => ({ type: 'function', function: { name } }))
const calling = (mode: string, ...names: readonly string[]): ToolConfig => ({
  functionCallingConfig: { mode, ...(names.length > 0 && { allowedFunctionNames: names }) },
})

test('a declaration keeps its description and its parameters, in either kind of schema', () => {
  const expected = {
    type: 'function',
    function: {
      name: 'f',
      description: 'Does f.',
      parameters: { type: 'object', properties: { a: { type: 'integer' } } },
    },
  }
  const common = { name: 'f', description: 'Does f.', behavior: 'BLOCKING' }
  const parameters = { type: 'OBJECT', properties: { a: { type: 'INTEGER' } } }
  const own = fieldsOf({ tools: [{ functionDeclarations: [{ ...common, parameters }] }] })
  const json = fieldsOf({
    tools: [{ functionDeclarations: [{ ...common, parametersJsonSchema: parameters }] }],
  })
  assert.deepEqual([own.tools, json.tools], [[expected], [expected]])
})

test('what a function returns is told in its description', () => {
  const functionDeclarations = [{ name: 'f', description: 'Does f.', response: { type: 'STRING' } }]
  assert.equal(
    fieldsOf({ tools: [{ functionDeclarations }] }).tools?.[0]?.function.description,
    'Does f.\nReturns JSON of this schema: {"type":"string"}',
  )
})

const choices: readonly (readonly [string, ToolConfig | undefined, unknown])[] = [
  ['nothing said leaves the choice to the server', undefined, { tools: named('f', 'g', 'h') }],
  ['AUTO is auto', calling('AUTO'), { tools: named('f', 'g', 'h'), tool_choice: 'auto' }],
  ['NONE is none', calling('NONE'), { tools: named('f', 'g', 'h'), tool_choice: 'none' }],
  ['ANY is required', calling('ANY'), { tools: named('f', 'g', 'h'), tool_choice: 'required' }],
  [
    'ANY of one is that one by name',
    calling('ANY', 'g'),
    { tools: named('f', 'g', 'h'), tool_choice: { type: 'function', function: { name: 'g' } } },
  ],
  [
    'ANY of several sends only these',
    calling('ANY', 'h', 'f'),
    { tools: named('f', 'h'), tool_choice: 'required' },
  ],
]

for (const [title, toolConfig, expected] of choices) {
  test(title, () => {
    const tools = [...declare('f', 'g'), ...declare('h')]
    assert.deepEqual(fieldsOf({ tools, ...(toolConfig !== undefined && { toolConfig }) }), expected)
  })
}

test('without functions nothing is sent', () => {
  assert.deepEqual(fieldsOf({ tools: [{}], toolConfig: calling('AUTO') }), {})
})

const at = 'GenerateContentRequest'
const refused: readonly (readonly [string, Tooling])[] = [
  ...[
    'googleSearch',
    'googleSearchRetrieval',
    'codeExecution',
    'urlContext',
    'fileSearch',
    'computerUse',
    'googleMaps',
  ].map((name) => [`${at}.tools[0].${name}`, { tools: [{ [name]: {} }] }] as const),
  [`${at}.tools[0].functionDeclarations[0].name`, { tools: declare('') }],
  [
    `${at}.tools[0].functionDeclarations[0].behavior`,
    { tools: [{ functionDeclarations: [{ name: 'f', behavior: 'NON_BLOCKING' }] }] },
  ],
  [
    `${at}.tools[0].functionDeclarations[0].parametersJsonSchema`,
    { tools: [{ functionDeclarations: [{ name: 'f', parameters: {}, parametersJsonSchema: {} }] }] },
  ],
  [`${at}.toolConfig.retrievalConfig`, { toolConfig: { retrievalConfig: {} } }],
  [`${at}.toolConfig.functionCallingConfig.mode`, { tools: declare('f'), toolConfig: calling('VALIDATED') }],
  [`${at}.toolConfig.functionCallingConfig.mode`, { toolConfig: calling('ANY') }],
  [
    `${at}.toolConfig.functionCallingConfig.allowedFunctionNames`,
    { tools: declare('f'), toolConfig: calling('AUTO', 'f') },
  ],
  [
    `${at}.toolConfig.functionCallingConfig.allowedFunctionNames`,
    { tools: declare('f'), toolConfig: calling('ANY', 'g') },
  ],
]

for (const [path, request] of refused) {
  test(`${path} is refused by name: ${JSON.stringify(request)}`, () => {
    assert.throws(
      () => fieldsOf(request),
      (error: unknown) => error instanceof Failure && error.message.startsWith(`${path}: `),
    )
  })
}

test('very many functions, each allowed by its name, take time in proportion to their number', () => {
  const names = Array.from({ length: 40_000 }, (_, index) => `f${index}`)
  const start = process.cpuUsage()
  assert.equal(
    fieldsOf({ tools: declare(...names), toolConfig: calling('ANY', ...names) }).tools?.length,
    40_000,
  )
  assert.ok(process.cpuUsage(start).user < 4_000_000)
})
