import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from 'typebox'
import { configSchema } from './config-schema.ts'
import { maskSecrets, secretValues } from './mask.ts'
import { parseConfig } from './parse-config.ts'
import { schemaKeys } from './schema-keys.ts'

const keys = ['kJ8s/3fQx0aVt7YpLm2Rz9Wc5Ue1Nb4H', 'Qx0aVt7YpLm2Rz9Wc5Ue1Nb4HkJ8s/3f']

const text = `
store: postgres://user:p%40ssword@db:5432/postern?sslmode=require&password=in-the-query
shared: redis://cache-password@cache:6379/1
issuers:
  - issuer: https://a.example
    validate: introspection
    introspection: { url: 'https://a.example/i?sig=at-the-issuer', clientId: gate, clientSecret: the-client-secret }
tools:
  sources:
    - { kind: builtin, scopes: { echo: [demo] } }
    - { kind: mcp, name: docs, url: "https://docs.example/mcp?api_key=in-the-url&v=2", credential: docs-credential }
    - { kind: openapi, name: shop, spec: "https://shop.example/s.yaml?token=in-the-spec", baseUrl: https://shop.example, credential: shop-credential }
models:
  - { name: a, engine: gemini, apiKey: gemini-api-key }
  - { name: b, engine: openai, baseUrl: http://127.0.0.1:1/v1, apiKey: openai-api-key }
paging: { keys: ["${keys.join('", "')}"] }
`

const config = parseConfig(text, { file: 'f', env: {} })

const planted =
  `${keys.join(' ')} p%40ssword in-the-query cache-password the-client-secret in-the-url in-the-spec at-the-issuer
docs-credential shop-credential gemini-api-key openai-api-key`.split(/\s/)

test('no secret is left in what may be shown, and everything else is', () => {
  const shown = maskSecrets(config)
  for (const secret of planted) assert.equal(JSON.stringify(shown).includes(secret), false, secret)
  assert.partialDeepStrictEqual(shown, {
    store: 'postgres://user:***@db:5432/postern?sslmode=***&password=***',
    shared: 'redis://***@cache:6379/1',
    issuers: [{ introspection: { clientId: 'gate', clientSecret: '***' } }],
    tools: {
      sources: [
        { kind: 'builtin', scopes: { echo: ['demo'] } },
        { name: 'docs', url: 'https://docs.example/mcp?api_key=***&v=***', credential: '***' },
        { baseUrl: 'https://shop.example' },
      ],
    },
    models: [
      { name: 'a', apiKey: '***' },
      { name: 'b', apiKey: '***' },
    ],
    paging: { keys: ['***', '***'], ttlHours: 72 },
    server: { port: 8080 },
  })
})

test('the configuration itself is not changed by masking', () => {
  assert.deepEqual(config, parseConfig(text, { file: 'f', env: {} }))
})

test('every secret is listed for the log, a password also as it is meant', () => {
  assert.deepEqual(new Set(secretValues(config)), new Set([...planted, 'p@ssword', 'require', '2']))
})

test('a configuration without secrets has none to mask', () => {
  const plain = parseConfig('', { file: 'f', env: {} })
  assert.deepEqual(maskSecrets(plain), plain)
  assert.deepEqual(secretValues(plain), [])
})

test('every key of the schema that is named like a secret is marked as one', () => {
  const unmarked = schemaKeys(configSchema).filter(({ path, schema }) => {
    const marked = Type.IsArray(schema) ? schema.items : schema
    return (
      !Type.IsObject(schema) &&
      /(?:secret|apiKey|credential|password|keys)$/i.test(path) &&
      !('x-secret' in marked)
    )
  })
  assert.deepEqual(
    unmarked.map(({ path }) => path),
    [],
  )
})
