import { inspect } from 'node:util'
import { bearer, oneLine, resource } from './call.ts'
import type { HostileCall, HostileSource } from './hostile-call.ts'
import type { Claims } from './local-issuer.ts'

export function audienceCalls({ issuer }: HostileSource): readonly HostileCall[] {
  const audiences: readonly unknown[] = [
    undefined,
    null,
    '',
    5,
    true,
    {},
    [],
    [[]],
    [[resource]],
    { 0: resource },
    [resource, 5],
    [resource, null],
    ['https://other.example/mcp'],
    'https://other.example/mcp',
    `${resource}/`.concat('/'),
    `${resource}/admin`,
    `${resource}x`,
    resource.slice(0, -1),
    resource.slice(0, -4),
    `${resource}?`,
    `${resource}#`,
    `${resource}%2f`,
    `${resource}/../mcp`,
    `${resource}/.`,
    ` ${resource}`,
    `${resource} `,
    `${resource}\n`,
    `${resource}\u0000`,
    `${resource} https://other.example/mcp`,
    resource.replace('/mcp', '/MCP'),
    resource.replace('/mcp', '//mcp'),
    resource.replace('/mcp', '/m\u0441p'),
    resource.replace('http://', 'https://'),
    resource.replace('http://', 'http:/'),
    resource.replace('http://', '//'),
    resource.replace('http://', 'http://user@'),
    resource.replace('127.0.0.1', '127.0.0.1.'),
    resource.replace('127.0.0.1', 'localhost'),
    resource.replace('127.0.0.1', '127.1'),
    resource.replace('127.0.0.1', '\uFF11\uFF12\uFF17.0.0.1'),
    resource.replace(':8080', ''),
    resource.replace(':8080', ':08080'),
    '*',
    'http://127.0.0.1:8080/*',
    'https://app.example/client.json',
    issuer.issuer,
  ]
  return audiences.map((aud): HostileCall => [`aud ${inspect(aud, oneLine)}`, bearer(issuer.token({ aud }))])
}

export function issuerCalls({ issuer, sibling }: HostileSource): readonly HostileCall[] {
  const names: readonly unknown[] = [
    undefined,
    null,
    '',
    5,
    [issuer.issuer],
    { issuer: issuer.issuer },
    `${issuer.issuer}/`,
    `${issuer.issuer}/tenant`,
    `${issuer.issuer} `,
    issuer.issuer.toUpperCase(),
    issuer.issuer.replace('127.0.0.1', 'localhost'),
    'https://accounts.example',
    'http://169.254.169.254/latest/meta-data',
    '__proto__',
  ]
  return [
    ...names.map((iss): HostileCall => [`iss ${inspect(iss, oneLine)}`, bearer(issuer.token({ iss }))]),
    ['a token of a sibling issuer', bearer(sibling.token())],
    ['a token of a sibling in our issuer’s name', bearer(sibling.token({ iss: issuer.issuer }))],
    [
      'a token of a sibling in our issuer’s name and with its key id',
      bearer(sibling.token({ iss: issuer.issuer }, { kid: issuer.key().kid })),
    ],
    [
      'a token of a sibling without a key id',
      bearer(sibling.token({ iss: issuer.issuer }, { kid: undefined })),
    ],
  ]
}

export function timeCalls({ issuer }: HostileSource): readonly HostileCall[] {
  const now = Math.floor(Date.now() / 1000)
  const times: readonly Claims[] = [
    { exp: now - 31 },
    { exp: now - 86_400 },
    { exp: 0 },
    { exp: -1 },
    { exp: undefined },
    { exp: null },
    { exp: String(now + 300) },
    { exp: true },
    { exp: [now + 300] },
    { exp: {} },
    { nbf: now + 3600 },
    { nbf: now + 86_400 * 3650 },
    { nbf: '0' },
    { nbf: null },
    { nbf: -1 },
    { iat: now + 3600 },
    { iat: String(now) },
    { iat: null },
  ]
  const text = JSON.stringify(issuer.claims({ exp: 12_345 }))
  const infinite = issuer.key()
  const header = { alg: infinite.algorithm, kid: infinite.kid }
  return [
    ...times.map((claims): HostileCall => [inspect(claims, oneLine), bearer(issuer.token(claims))]),
    ['an infinite exp', bearer(infinite.token(header, text.replace('12345', '1e999')))],
    ['an exp that is not JSON', bearer(infinite.token(header, text.replace('12345', 'NaN')))],
  ]
}

export function claimCalls({ issuer }: HostileSource): readonly HostileCall[] {
  const claims: readonly Claims[] = [
    { sub: undefined, client_id: undefined },
    { sub: '' },
    { sub: 5 },
    { sub: null },
    { sub: ['alice'] },
    { client_id: {} },
    { scope: 5 },
    { scope: { 'notes:read': true } },
    { scope: [['notes:read']] },
    { scope: null },
    { cnf: { jkt: 'A'.repeat(43) } },
    { cnf: { 'x5t#S256': 'A'.repeat(43) } },
    { cnf: {} },
    { cnf: 'none' },
    { cnf: null },
  ]
  const idTokens: readonly Claims[] = [
    { nonce: 'n' },
    { at_hash: 'h' },
    { c_hash: 'h' },
    { typ: 'ID' },
    { typ: 'DPoP' },
    { typ: 'Refresh' },
    { events: { 'http://schemas.openid.net/event/backchannel-logout': {} } },
  ]
  return [
    ...claims.map((some): HostileCall => [inspect(some, oneLine), bearer(issuer.token(some))]),
    ...idTokens.map(
      (some): HostileCall => [
        `a token of another kind: ${inspect(some, oneLine)}`,
        bearer(issuer.token(some, { typ: 'JWT' })),
      ],
    ),
  ]
}
