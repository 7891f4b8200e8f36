import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Type } from 'typebox'
import { Failure } from '../failure/failure.ts'
import type { Config } from './config-schema.ts'
import { parseConfig } from './parse-config.ts'
import { readScalar } from './read-scalar.ts'
import type { Reading } from './reading.ts'
import { readYaml } from './yaml-document.ts'

type Env = Record<string, string | undefined>

function parse(text: string, env: Env = {}): Config {
  return parseConfig(text, { file: 'f', env })
}

function complaint(text: string, env: Env = {}): string {
  try {
    parse(text, env)
    return 'none'
  } catch (cause) {
    return cause instanceof Failure ? cause.message : String(cause)
  }
}

test('a variable that stands alone becomes the number that the key wants', () => {
  const config = parse(`server: { port: \${PORT}, opsPort: "\${OPS:-9}", workers: \${WORKERS} }`, {
    PORT: '81',
    WORKERS: '2',
  })
  assert.deepEqual([config.server.port, config.server.opsPort, config.server.workers], [81, 9, 2])
  assert.equal(parse(`server: { workers: \${WORKERS} }`, { WORKERS: 'auto' }).server.workers, 'auto')
})

test('a variable that stands alone becomes the boolean that the key wants', () => {
  const { root } = readYaml(`\${FLAG}`)
  const reading: Reading = {
    keys: [],
    env: { FLAG: 'true' },
    anchored: new Map(),
    problems: [],
    offsets: new Map(),
    values: 0,
  }
  assert.equal(readScalar(root, Type.Boolean(), { reading, path: 'flag', offset: 0 }), true)
})

test('a variable stays a text where a text is wanted', () => {
  const config = parse(`models: [{ name: m, engine: gemini, apiKey: \${KEY} }]`, { KEY: '12345678' })
  assert.equal(Reflect.get(config.models[0] ?? {}, 'apiKey'), '12345678')
})

test('a number made of parts, or written in quotes, is a text and refused', () => {
  assert.match(
    complaint(`server: { port: 80\${X} }`, { X: '80' }),
    /server\.port must be an integer from 0 to 65535 \(its value comes from \$\{X\}\)$/,
  )
  assert.match(complaint('server: { port: "8080" }'), /not the text "8080"$/)
})

test('a missing variable is an error that names it and its place', () => {
  assert.equal(
    complaint(`models:\n  - name: m\n    engine: gemini\n    apiKey: \${KEY}\n`),
    'f:4:13: models[0].apiKey needs the environment variable KEY, which is not set',
  )
})

test('references work inside flow collections, quotes and block texts, with escapes and defaults', () => {
  const env = { A: 'alpha', B: 'beta' }
  const items = [`\${A}`, `b-\${B}`, `$\${A}`, `\${C:-c:d#e}`, `\${C:-f,[g]}`, `'\${B}'`, `"\${A}:\${B}"`]
  const config = parse(`tools: { sources: [{ kind: builtin, scopes: { a: [${items.join(', ')}] } }] }`, env)
  const expected = ['alpha', 'b-beta', `\${A}`, 'c:d#e', 'f,[g]', 'beta', 'alpha:beta']
  assert.deepEqual(config.tools.sources[0]?.scopes, { a: expected })
  assert.equal(parse(`store: >-\n  sqlite:\${A}/x.db\n`, env).store, 'sqlite:alpha/x.db')
})

test('whatever a variable holds stays one text, and cannot become YAML or another reference', () => {
  const yaml = ['a\nserver: { port: 1 }', 'x, y: z }', '# c', '*a', '&a b', '!!str x', `"`, `'`, '\uFDD0']
  const hostile = fc.oneof(
    fc.string({ unit: 'binary', minLength: 1 }),
    fc.constantFrom(...yaml, `\${B}`, `$\${B}`, `\${B:-x}`),
  )
  fc.assert(
    fc.property(hostile, (value) => {
      const text = `issuers: [{ issuer: https://a.example, scopeClaim: \${A} }]`
      assert.equal(parse(text, { A: value, B: 'no' }).issuers[0]?.scopeClaim, value)
    }),
  )
})

test('a secret that YAML takes for a number is not repeated either', () => {
  const message = complaint('models: [{ name: m, engine: gemini, apiKey: 987654321 }]')
  assert.match(message, /models\[0\]\.apiKey must be a secret text, not a number; put it in quotes$/)
})

test('no message repeats a secret or what a variable holds', () => {
  const planted = 'planted-value'
  const texts = [
    `paging: { keys: [planted-value, \${P}, 12345] }`,
    `server: { port: \${P}, host: "\${P}:1", publicUrl: "\${P}", allowedOrigins: ["\${P}"], workers: \${P} }`,
    `store: planted-value://x\nshared: \${P}`,
    'store: postgres://u:planted-value/x@db/x',
    `issuers: [{ issuer: "https://planted-value:planted-value@a.example", validate: \${P} }]`,
    'issuers: [{ issuer: https://a.example, validate: introspection, introspection: { url: https://a.example, clientId: c, clientSecret: " planted-value" } }]',
    `models: [{ name: "\${P} \${P}", engine: \${P} }, { name: a, engine: gemini, apiKey: [planted-value] }]`,
    'tools: { sources: [{ kind: mcp, name: a, url: "https://planted-value@a.example", credential: "planted-value " }] }',
    `vendor: "\${P}!"\nlog: { level: \${P} }`,
  ]
  for (const text of texts) {
    const message = complaint(text, { P: planted })
    assert.match(message, /^f:1:/)
    assert.doesNotMatch(message, /planted-value/, text)
  }
})
