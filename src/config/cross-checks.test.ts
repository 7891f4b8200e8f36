import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../failure/failure.ts'
import { parseConfig } from './parse-config.ts'

function problems(text: string): string[] {
  try {
    parseConfig(text, { file: 'f', env: {} })
    return []
  } catch (cause) {
    return cause instanceof Failure ? cause.message.split('\n').map((line) => line.slice(2)) : [String(cause)]
  }
}

const key = 'kJ8s/3fQx0aVt7YpLm2Rz9Wc5Ue1Nb4H'
const introspection = 'introspection: { url: https://a.example/i, clientId: c, clientSecret: s }'

const ownIssuer =
  'issuers[0].issuer must differ from server.publicUrl, in whose name the gateway knows its API keys and service accounts; name the authorization server by a URL of its own'

const refused: readonly [claim: string, text: string, problem: string][] = [
  [
    'issuers are unique',
    'issuers:\n  - issuer: https://a.example\n  - issuer: https://a.example\n',
    '3:13: issuers[1].issuer must be unique, and issuers[0].issuer is the same',
  ],
  [
    'names of models are unique',
    'models: [{ name: a, engine: story }, { name: b, engine: story }, { name: a, engine: llama, path: x }]',
    '1:74: models[2].name must be unique, and models[0].name is the same',
  ],
  [
    'no source is named as if it were a part of another',
    'tools: { sources: [{ kind: mcp, name: git, url: https://a.example }, { kind: mcp, name: git_hub, url: https://b.example }] }',
    '1:89: tools.sources[1].name begins with the name of another source, git; give it a name that does not',
  ],
  [
    'names of sources are unique, whatever their kind',
    'tools: { sources: [{ kind: mcp, name: a, url: https://a.example }, { kind: openapi, name: a, spec: s, baseUrl: https://a.example }] }',
    '1:91: tools.sources[1].name must be unique, and tools.sources[0].name is the same',
  ],
  [
    'there is one source of built-in tools',
    'tools: { sources: [{ kind: builtin }, { kind: builtin }] }',
    '1:39: tools.sources[1] is a second source of kind builtin; tools.sources[0] has the same tools',
  ],
  [
    'a paging key stands once',
    `paging: { keys: [${key}, ${key}] }`,
    '1:52: paging.keys[1] must be unique, and paging.keys[0] is the same',
  ],
  [
    'introspection needs its block',
    'issuers: [{ issuer: https://a.example, validate: introspection }]',
    '1:50: issuers[0].validate is introspection, so the issuer also needs "introspection": { url, clientId, clientSecret }',
  ],
  [
    'the block of introspection needs introspection',
    `issuers: [{ issuer: https://a.example, ${introspection} }]`,
    '1:55: issuers[0].introspection is only used with "validate: introspection", and this issuer has "validate: jwt"',
  ],
  [
    'no issuer is the gateway itself',
    'server: { publicUrl: https://gate.example }\nissuers: [{ issuer: https://gate.example }]',
    `2:21: ${ownIssuer}`,
  ],
  [
    'no issuer is the gateway itself with a slash more',
    'server: { publicUrl: https://gate.example }\nissuers: [{ issuer: https://gate.example/ }]',
    `2:21: ${ownIssuer}`,
  ],
  [
    'no issuer is where the gateway listens',
    'issuers: [{ issuer: "http://127.0.0.1:8080" }]',
    `1:21: ${ownIssuer}`,
  ],
  [
    'the two ports differ',
    'server: { port: 8082 }',
    '1:9: server.opsPort must differ from server.port, which is 8082 as well',
  ],
  [
    'headers take no longer than the request',
    'server: { requestTimeoutSeconds: 5 }',
    '1:9: server.headersTimeoutSeconds must not be longer than server.requestTimeoutSeconds, which is 5: headers are part of a request',
  ],
  [
    'an alias leads to a model',
    'models: [{ name: a, engine: story }]\naliases: { "x-*": b }',
    '2:19: aliases["x-*"] must name a model; the models are a',
  ],
  ['an alias needs models', 'aliases: { x: b }', '1:15: aliases.x must name a model; there are no models'],
  [
    'an alias is not the name of a model',
    'models: [{ name: a, engine: story }]\naliases: { a: a }',
    '2:15: aliases.a is the name of a model, so it cannot be an alias as well',
  ],
  [
    'a host of every address needs a public URL',
    'server:\n  host: 0.0.0.0\n',
    '2:9: server.publicUrl is missing: host 0.0.0.0 means every address, and none that a client could call; set it to the URL by which clients reach the gateway, such as https://gate.example',
  ],
]

for (const [claim, text, problem] of refused) {
  test(`${claim}: otherwise the configuration is refused`, () => {
    assert.deepEqual(problems(text), [problem])
  })
}

test('what fits together is accepted', () => {
  const right = [
    `issuers: [{ issuer: https://a.example, validate: introspection, ${introspection} }, { issuer: https://b.example }]`,
    'server: { host: 0.0.0.0, port: 0, opsPort: 0, publicUrl: https://gate.example }',
    'server: { headersTimeoutSeconds: 60 }',
    'models: [{ name: a, engine: story }]\naliases: { b: a, "*": a }',
  ]
  for (const text of right) assert.deepEqual(problems(text), [], text)
})

test('a value that was refused already is not complained about once more', () => {
  assert.equal(
    problems('issuers: [{ issuer: https://a.example, validate: introspection, introspection: 7 }]').length,
    1,
  )
  assert.equal(problems('models: [{ name: a, engine: stroy }]\naliases: { b: a }').length, 1)
  assert.equal(problems('server: { port: x, opsPort: x }').length, 2)
  assert.equal(problems('server: { host: "http://x", publicUrl: 7 }').length, 2)
})
