import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Failure } from '../failure/failure.ts'
import type { Config } from './config-schema.ts'
import { parseConfig } from './parse-config.ts'

type Env = Record<string, string | undefined>

function parse(text: string, env: Env = {}): Config {
  return parseConfig(text, { file: 'postern.yaml', env })
}

/** The lines of the failure, without the name of the file. */
function problems(text: string, env: Env = {}): string[] {
  try {
    parse(text, env)
  } catch (cause) {
    assert.ok(cause instanceof Failure && cause.code === 'misconfigured', String(cause))
    return cause.message.split('\n').map((line) => line.replace(/^postern\.yaml:/, ''))
  }
  return []
}

const pagingKey = 'kJ8s/3fQx0aVt7YpLm2Rz9Wc5Ue1Nb4H'

const everything = `
server:
  host: 127.0.0.1
  port: 8080
  opsPort: 8082                      # /metrics, only here
  publicUrl: http://127.0.0.1:8080   # origin of resource identifiers and links
  allowedOrigins: []                 # browsers other than the console
  workers: 1                         # or auto
store: sqlite:./data/postern.db      # or postgres://…
shared: redis://127.0.0.1:6379       # optional: limits and revocations across instances
issuers:
  - issuer: http://127.0.0.1:8081
    validate: jwt                    # jwt | introspection
tools:
  pageSize: 1000
  sources:
    - { kind: builtin, scopes: { echo: ["demo:echo"], time: ["demo:time"] } }
    - { kind: module, path: ./tools/notes.ts }
    - { kind: mcp, name: docs, url: https://docs.example/mcp, credential: \${DOCS_TOKEN}, scopes: { "*": ["docs:read"] } }
    - { kind: openapi, name: shop, spec: ./shop.yaml, baseUrl: https://shop.example, credential: \${SHOP_TOKEN}, scopes: { createOrder: ["shop:write"] } }
vendor: goog                         # header x-goog-api-key; error domain; any other name works too
models:
  - { name: tiny, engine: story }
  - { name: gemini-3.5-flash, engine: gemini, apiKey: \${UPSTREAM_GEMINI_API_KEY} }
  - { name: house, engine: openai, baseUrl: http://127.0.0.1:11434/v1, model: qwen3 }
aliases: { "gemini-*": tiny }
paging: { keys: [\${POSTERN_PAGING_KEY}], ttlHours: 72 }
limits: { perPrincipalPerMinute: 600, tools: {}, models: {} }
audit: { durability: grouped }       # grouped | strict
`

const env = {
  DOCS_TOKEN: 'docs',
  SHOP_TOKEN: 'shop',
  UPSTREAM_GEMINI_API_KEY: 'gem',
  POSTERN_PAGING_KEY: pagingKey,
}

test('every key of the reference example is read, and what it leaves out is filled in', () => {
  const config = parse(everything, env)
  assert.equal(config.shared, 'redis://127.0.0.1:6379')
  assert.deepEqual(config.issuers[0], {
    issuer: 'http://127.0.0.1:8081',
    validate: 'jwt',
    algorithms: ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'],
    clockSkewSeconds: 30,
    scopeClaim: 'scope',
  })
  assert.deepEqual(config.tools.sources, [
    { kind: 'builtin', scopes: { echo: ['demo:echo'], time: ['demo:time'] } },
    { kind: 'module', path: './tools/notes.ts', scopes: {} },
    {
      kind: 'mcp',
      name: 'docs',
      url: 'https://docs.example/mcp',
      credential: 'docs',
      allowPrivate: false,
      refreshMinutes: 5,
      scopes: { '*': ['docs:read'] },
    },
    {
      kind: 'openapi',
      name: 'shop',
      spec: './shop.yaml',
      baseUrl: 'https://shop.example',
      credential: 'shop',
      allowPrivate: false,
      scopes: { createOrder: ['shop:write'] },
    },
  ])
  assert.deepEqual(config.models[1], {
    name: 'gemini-3.5-flash',
    engine: 'gemini',
    apiKey: 'gem',
    timeouts: { connectSeconds: 5, firstByteSeconds: 300, idleSeconds: 60 },
    retries: 1,
    allow: [],
    fallbacks: [],
  })
  assert.deepEqual(config.aliases, { 'gemini-*': 'tiny' })
  assert.deepEqual(config.paging.keys, [pagingKey])
})

test('an unknown key is named with its path, its place and the nearest known one', () => {
  assert.deepEqual(problems('server:\n  prot: 80\n'), [
    '2:3: unknown key "prot" (server.prot): did you mean "port"?',
  ])
  assert.deepEqual(problems('isuers: []\n'), ['1:1: unknown key "isuers" (isuers): did you mean "issuers"?'])
  assert.deepEqual(problems('server: &s { port: 1 }\nlog: { <<: *s }'), [
    '2:8: unknown key "<<" (log["<<"]): YAML 1.2 has no merge keys; write the keys out',
  ])
  assert.match(
    String(problems('quux: 1')),
    /unknown key "quux" \(quux\): the nearest known key is ".*"; known here: server, /,
  )
})

test('a known key in a wrong place is shown its right one', () => {
  assert.deepEqual(problems('clockSkewSeconds: 5'), [
    '1:1: unknown key "clockSkewSeconds" (clockSkewSeconds): did you mean "issuers[].clockSkewSeconds"?',
  ])
  assert.deepEqual(problems('models: [{ name: a, engine: story, apiKey: x }]'), [
    '1:36: unknown key "apiKey" (models[0].apiKey): it belongs to "engine: gemini", "engine: openai"',
  ])
})

test('a wrong type or range says what was found and what is right', () => {
  const text = [
    'server: { port: eighty, opsPort: 99999, workers: many, allowedOrigins: https://a.example }',
    'issuers: {}',
    'limits: 5',
    'vendor: 7',
    'log: { level: verbos }',
    'audit: { durability: strickt }',
    'tools: { pageSize: }',
    'paging: { ttlHours: 1.5 }',
  ]
  assert.deepEqual(problems(text.join('\n')), [
    '1:17: server.port must be an integer from 0 to 65535, not the text "eighty"',
    '1:34: server.opsPort must be an integer from 0 to 65535, not the number 99999',
    '1:50: server.workers must be an integer from 1 to 256, or auto, not the text "many"',
    '1:72: server.allowedOrigins must be a list, not a single value',
    '2:10: issuers must be a list, not a mapping',
    '3:9: limits must be a mapping, not a single value',
    '4:9: vendor must be a name of lower-case letters, digits and single -, as it is part of a header name, not the number 7; put it in quotes',
    '5:15: log.level must be one of fatal, error, warn, info, debug, trace, silent, not the text "verbos"',
    '6:22: audit.durability must be one of grouped, strict, not the text "strickt"; did you mean strict?',
    '7:10: tools.pageSize must be an integer from 1 to 10000, not empty',
    '8:21: paging.ttlHours must be an integer from 1 to 8760, not the number 1.5',
  ])
})

test('all problems come at once, in the order of the file, and the first names the field', () => {
  const text = 'vendor: "!"\nserver:\n  opsPort: x\n  prot: 1\nmodels: [{ name: a }]\nserver: {}\n'
  assert.deepEqual(
    problems(text).map((line) => line.replace(/ .*/, '')),
    ['1:9:', '3:12:', '4:3:', '5:10:', '6:1:'],
  )
  assert.throws(() => parse('a: 1\nb: 2'), {
    code: 'misconfigured',
    field: 'a',
    message: /^postern\.yaml:1:1: .*\npostern\.yaml:2:1: .*$/,
  })
})

test('the file as a whole must be a mapping', () => {
  assert.deepEqual(problems('- a'), ['1:1: the file must be a mapping, not a list'])
  assert.deepEqual(problems('hello'), ['1:1: the file must be a mapping, not a single value'])
  assert.deepEqual(problems('server: { ? [a] : b }'), ['1:13: server has a key that is not plain text'])
})

test('errors inside a choice are those of the branch that its key selects', () => {
  const text = [
    'tools:',
    '  sources:',
    '    - { kind: mcp, name: docs, ulr: https://a.example }',
    '    - { kind: mpc }',
    '    - { name: x }',
    '    - builtin',
    '    - { kind: openapi, name: "a b", spec: ./x.yaml, baseUrl: nowhere }',
    `    - { kind: \${KIND}, path: "" }`,
  ]
  assert.deepEqual(problems(text.join('\n'), { KIND: 'module' }), [
    '3:7: tools.sources[0].url is missing: it must be an absolute http or https URL',
    '3:32: unknown key "ulr" (tools.sources[0].ulr): did you mean "url"?',
    '4:15: tools.sources[1].kind must be one of builtin, module, mcp, openapi, not the text "mpc"; did you mean mcp?',
    '5:7: tools.sources[2] needs "kind": one of builtin, module, mcp, openapi',
    '6:7: tools.sources[3] must be a mapping with "kind", not a single value',
    '7:30: tools.sources[4].name must be a name of letters, digits, - and _, at most 64, that starts with a letter or digit, not the text "a b"',
    '7:62: tools.sources[4].baseUrl must be an absolute http or https URL',
    '8:30: tools.sources[5].path must not be empty',
  ])
})

test('the configuration of a record keeps keys of any name', () => {
  const config = parse('limits: { tools: { __proto__: 1, constructor: 2, 8080: 3, "a b": 4 } }')
  assert.equal(JSON.stringify(config.limits.tools), '{"8080":3,"__proto__":1,"constructor":2,"a b":4}')
  assert.deepEqual(problems('limits: { tools: { "a b": 0 } }'), [
    '1:27: limits.tools["a b"] must be an integer of at least 1, or a mapping, not the number 0',
  ])
})

test('anchors are followed, and aliases that multiply are bounded', () => {
  const config = parse('tools: { sources: [{ kind: builtin, scopes: { a: &s [x], b: *s } }] }')
  assert.deepEqual(config.tools.sources[0]?.scopes, { a: ['x'], b: ['x'] })
  const list = `[${Array.from({ length: 1000 }, () => 'x').join(',')}]`
  const records = Array.from({ length: 1000 }, (_, index) => `t${index}: *s`).join(', ')
  const bomb = `tools: { sources: [{ kind: builtin, scopes: { a: &s ${list}, ${records} } }] }`
  assert.match(
    problems(bomb).join('\n'),
    /is too much: with its aliases, the file holds more than 20000 values$/,
  )
  assert.match(String(problems('tools: &a { sources: [*a, *a] }')), /tools\.sources\[0\] needs "kind"/)
})

test('a very large file of nonsense is refused in reasonable time', () => {
  const start = process.cpuUsage()
  const lines = problems(Array.from({ length: 20_000 }, (_, index) => `k${index}: 1`).join('\n'))
  assert.ok(lines.length > 1000)
  assert.ok(process.cpuUsage(start).user < 10_000_000)
})

test('a file damaged anywhere is accepted or refused with its problems, and nothing else happens', () => {
  const damage = fc.oneof(
    fc.constantFrom(
      '',
      '{',
      '}',
      '[',
      ']',
      ': ',
      '- ',
      '*a',
      '&a ',
      '!x ',
      '"',
      "'",
      '\n',
      '\t',
      '#',
      '---\n',
      '|',
      '<<: ',
      '? ',
    ),
    fc.string({ unit: 'binary', maxLength: 4 }),
  )
  const place = fc.nat(everything.length - 1)
  fc.assert(
    fc.property(fc.array(fc.tuple(place, fc.nat(6), damage), { minLength: 1, maxLength: 4 }), (edits) => {
      const text = edits.reduce(
        (before, [at, length, put]) => before.slice(0, at) + put + before.slice(at + length),
        everything,
      )
      for (const line of problems(text, env)) assert.match(line, /^\d+:\d+: \S/)
    }),
    // For each of the many seeds of `npm run fuzz`.
    { numRuns: 100 },
  )
})

test('any value under any key is accepted or refused with its problems, and nothing else happens', () => {
  const keys = fc.constantFrom(
    'server',
    'store',
    'issuers',
    'tools',
    'models',
    'aliases',
    'paging',
    'limits',
    'sources',
    'kind',
    'keys',
  )
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(null, true, 0, -1, 1.5, 1e300, '', 'x', '\u0000', 'mcp', 'https://a.example'),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(keys, tie('value'), { maxKeys: 3 }),
    ),
  }))
  fc.assert(
    fc.property(fc.dictionary(keys, value), (config) => {
      for (const line of problems(JSON.stringify(config))) assert.match(line, /^1:\d+: \S/)
    }),
    { numRuns: 100 },
  )
})
