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

const secret = 'kJ8s/3fQx0aVt7YpLm2Rz9Wc5Ue1Nb4H'
const uris = 'redirectUris: [https://a.example/cb]'
const workload = (audience: string, bindings = ''): string =>
  `{ issuer: https://ci.example, audience: ${audience}, bindings: [${bindings}] }`

const refused: readonly [claim: string, text: string, problem: string][] = [
  [
    'clients have ids of their own',
    `authority: { clients: [{ id: a, name: A, ${uris} }, { id: a, name: B, ${uris} }] }`,
    '1:88: authority.clients[1].id must be unique, and authority.clients[0].id is the same',
  ],
  [
    'a client that asks about tokens has a secret',
    'authority: { clients: [{ id: a, name: A, grants: [], introspects: true }] }',
    '1:67: authority.clients[0].introspects is true, so the client also needs a "secret"',
  ],
  [
    'a client that acts for itself has a secret',
    'authority: { clients: [{ id: a, name: A, grants: [client_credentials] }] }',
    '1:50: authority.clients[0].grants has client_credentials, so the client also needs a "secret"',
  ],
  [
    'refresh tokens come from codes',
    'authority: { clients: [{ id: a, name: A, grants: [refresh_token] }] }',
    '1:50: authority.clients[0].grants has refresh_token without authorization_code, which alone gives refresh tokens; add it, or leave both out',
  ],
  [
    'a client that gets codes says where they go',
    'authority: { clients: [{ id: a, name: A }] }',
    '1:24: authority.clients[0].redirectUris is empty, and the grant authorization_code needs at least one; a client of machines has "grants" without it',
  ],
  [
    'somebody can sign in',
    'authority: { localUsers: false }',
    '1:26: authority.localUsers is false, so nobody could sign in; add an "upstream", or leave local users on',
  ],
  [
    'the upstream is asked who signed in',
    'authority: { upstream: { name: U, issuer: https://u.example, clientId: c, clientSecret: s, scopes: [email] } }',
    '1:100: authority.upstream.scopes must hold openid: without it there is no ID token that says who signed in',
  ],
  [
    'workloads are told apart by their audience',
    `authority: { workloads: [${workload('//x')}, ${workload('https://x')}] }`,
    '1:127: authority.workloads[1].audience must be unique, and authority.workloads[0].audience is the same',
  ],
  [
    'a subject stands for one service account',
    `authority: { workloads: [${workload('x', '{ subject: s, serviceAccount: a@b }, { subject: s, serviceAccount: c@d }')}] }`,
    '1:128: authority.workloads[0].bindings[1].subject must be unique, and authority.workloads[0].bindings[0].subject is the same',
  ],
  [
    'a service account is named by its e-mail',
    `authority: { workloads: [${workload('x', '{ subject: s, serviceAccount: robot }')}] }`,
    '1:110: authority.workloads[0].bindings[0].serviceAccount must be an e-mail address, not the text "robot"',
  ],
  [
    'the key of a scope is a scope',
    'authority: { scopes: { "a b": { description: x } } }',
    '1:31: authority.scopes["a b"] must be named by one scope, without spaces and quotes',
  ],
  [
    'a scope of Postern stays with its surface',
    'authority: { scopes: { keys:read: { description: x } } }',
    '1:35: authority.scopes["keys:read"] is a scope of Postern itself, for api; add "resource: api" to word it anew, or take another name',
  ],
  [
    'a scope of the model API is known by its base',
    'scopeBase: https://s.example\nauthority: { scopes: { "https://s.example/cloud-platform": { description: x } } }',
    '2:60: authority.scopes["https://s.example/cloud-platform"] is a scope of Postern itself, for v1beta; add "resource: v1beta" to word it anew, or take another name',
  ],
  [
    'a scope of OpenID Connect is not one of a tool',
    'authority: { scopes: { openid: { description: x } } }',
    '1:32: authority.scopes.openid is a scope of OpenID Connect itself; give the one of your tools another name',
  ],
  [
    'gateway and authority listen on two ports of one machine',
    `server: { port: 8081 }\nauthority: { secret: ${secret} }`,
    '2:12: authority.port must differ from server.port, which is 8081 as well',
  ],
  [
    'the metrics are not where the authority listens',
    `authority: { port: 8082, secret: ${secret} }`,
    '1:20: authority.port must differ from server.opsPort, which is 8082 as well',
  ],
  [
    'a secret is long and random',
    'authority: { secret: short }',
    '1:22: authority.secret must have at least 32 characters, not 5; make one with: openssl rand -base64 32',
  ],
  [
    'an issuer has no path',
    'authority: { issuer: https://login.example/oauth }',
    '1:22: authority.issuer must be scheme, host and port alone, without a path, as clients compare it letter by letter; here that is https://login.example',
  ],
  [
    'an authority for the world says how it is reached',
    'authority: { host: 0.0.0.0 }',
    '1:20: authority.issuer is missing: host 0.0.0.0 means every address, and none that a client could call; set it to the URL by which browsers and clients reach the authority, such as https://login.example',
  ],
]

for (const [claim, text, problem] of refused)
  test(`${claim}: otherwise the configuration is refused`, () => {
    assert.deepEqual(problems(text), [problem])
  })

test('what fits together is accepted', () => {
  const right = [
    `authority: { clients: [{ id: a, name: A, secret: s, grants: [], introspects: true }, { id: b, name: B, ${uris} }] }`,
    'authority: { localUsers: false, upstream: { name: U, issuer: https://u.example, clientId: c, clientSecret: s } }',
    'authority: { scopes: { keys:read: { description: See the keys, resource: api } } }',
    `authority: { workloads: [${workload('x', '{ subject: "s:*", serviceAccount: a@b }')}, ${workload('y')}] }`,
    'server: { port: 8081 }',
    `server: { host: 0.0.0.0, publicUrl: https://a.example }\nauthority: { host: 0.0.0.0, port: 8080, issuer: https://b.example, secret: ${secret} }`,
    'authority: { trustedProxies: [10.0.0.0/8] }',
  ]
  for (const text of right) assert.deepEqual(problems(text), [], text)
})

test('the issuer of the authority follows from its host and port', () => {
  const { authority } = parseConfig('authority: { port: 9001 }', { file: 'f', env: {} })
  assert.equal(authority.issuer, 'http://127.0.0.1:9001')
})

test('both programs without a URL are complained about at once', () => {
  assert.equal(problems('server: { host: 0.0.0.0 }\nauthority: { host: "::" }').length, 2)
})
