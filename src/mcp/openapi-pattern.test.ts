import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startRecordingApi } from '../../test/mcp/recording-api.ts'
import { callTool } from '../../test/mcp/tool-call.ts'
import { createLog } from '../log/log.ts'
import { withoutPatterns } from './openapi-pattern.ts'
import { openApiSource } from './source-openapi.ts'

const evil = { type: 'string', pattern: '^(a+)+$' }
const plain = { type: 'string' }

const schemas: readonly (readonly [what: string, given: object, expected: object])[] = [
  [
    'a schema without patterns stays as it is',
    { oneOf: [plain], not: plain },
    { oneOf: [plain], not: plain },
  ],
  ['a pattern goes, at any depth', { items: { anyOf: [evil, plain] } }, { items: { anyOf: [plain, plain] } }],
  [
    'a property that is called pattern stays',
    { properties: { pattern: evil, patternProperties: plain } },
    { properties: { pattern: plain, patternProperties: plain } },
  ],
  [
    'patterns of names go, and what would now refuse those names',
    { patternProperties: { '^(a+)+$': plain }, additionalProperties: false, required: ['a'] },
    { required: ['a'] },
  ],
  ['a denied pattern is not a denied everything', { type: 'string', not: evil }, plain],
  ['one of several patterns is not all of them', { oneOf: [evil, evil], title: 'x' }, { title: 'x' }],
  [
    'a condition on a pattern goes as a whole',
    JSON.parse(`{"if":{"properties":{"a":${JSON.stringify(evil)}}},"then":{"required":["b"]},"else":false}`),
    {},
  ],
  [
    'what an array may hold so many of goes',
    { contains: evil, maxContains: 1, maxItems: 9 },
    { maxItems: 9 },
  ],
  [
    'what nobody looked at is not refused',
    { allOf: [{ patternProperties: { a: plain } }], unevaluatedProperties: false },
    { allOf: [{}] },
  ],
  [
    'conditions without a pattern stay beside one',
    { not: plain, propertyNames: evil },
    { not: plain, propertyNames: plain },
  ],
]

for (const [what, given, expected] of schemas)
  test(what, () => {
    assert.deepEqual(withoutPatterns({ ...given }), expected)
  })

test('a pattern of a document is shown to clients, and keeps the server busy for no moment', async (t) => {
  const api = await startRecordingApi()
  const directory = await mkdtemp(join(tmpdir(), 'postern-pattern-'))
  const parameters = [{ name: 'q', in: 'query', schema: evil }]
  const document = { openapi: '3.1.0', paths: { '/a': { get: { operationId: 'a', parameters } } } }
  await writeFile(join(directory, 'api.json'), JSON.stringify(document))
  const source = await openApiSource(
    { name: 's', spec: 'api.json', baseUrl: api.url, allowPrivate: true },
    { log: createLog({ level: 'silent' }), directory, outputLimitBytes: 1000 },
  )
  t.after(() => Promise.all([source.close(), api.close(), rm(directory, { recursive: true })]))
  assert.match(JSON.stringify(source.tools()[0]?.listing), /"pattern":/)
  const start = performance.now()
  await callTool(source.tools(), 's_a', { input: { q: `${'a'.repeat(30)}!` } })
  assert.ok(performance.now() - start < 5000)
  assert.equal(api.requests.length, 1)
})
