import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  bareUrlComplaint,
  hostHeaderComplaint,
  httpUrlComplaint,
  isLoopback,
  listenHostComplaint,
  originComplaint,
  publicUrlComplaint,
  secureUrlComplaint,
} from './url-rules.ts'

test('loopback is localhost, its subdomains, 127.0.0.0/8 and ::1, and nothing that only looks like it', () => {
  for (const host of ['localhost', 'LOCALHOST', 'app.localhost', '127.0.0.1', '127.9.9.9', '::1', '[::1]']) {
    assert.equal(isLoopback(host), true, host)
  }
  for (const host of [
    '127.0.0.1.example',
    'localhost.example',
    'notlocalhost',
    '128.0.0.1',
    '0.0.0.0',
    '::',
    '',
  ]) {
    assert.equal(isLoopback(host), false, host)
  }
})

type Rule = (text: string) => string | undefined

const accepted: readonly [Rule, string[]][] = [
  [
    publicUrlComplaint,
    [
      'https://gate.example',
      'https://gate.example:8443/prefix',
      'http://127.0.0.1:8080',
      'http://[::1]:1',
      'https://bücher.example',
    ],
  ],
  [bareUrlComplaint, ['https://issuer.example/', 'https://issuer.example/realms/x', 'http://localhost:8081']],
  [secureUrlComplaint, ['https://a.example/introspect?tenant=x', 'http://127.0.0.1:1/x']],
  [httpUrlComplaint, ['http://docs.internal:3000/mcp', 'https://a.example/?x=y']],
  [originComplaint, ['https://app.example', 'http://intranet:8080', 'http://[::1]:3000']],
  [
    hostHeaderComplaint,
    ['gate.example', 'gate.example:8443', 'gate.example:80', '10.0.0.1:8080', '[::1]:8080'],
  ],
  [listenHostComplaint, ['127.0.0.1', '0.0.0.0', '::', '::1', 'localhost', 'gate-1.internal']],
]

const refused: readonly [Rule, string, RegExp][] = [
  [publicUrlComplaint, 'gate.example', /absolute http or https URL/],
  [publicUrlComplaint, 'ftp://gate.example', /absolute http or https URL/],
  [publicUrlComplaint, 'https:gate.example', /absolute http or https URL/],
  [publicUrlComplaint, 'https://', /absolute http or https URL/],
  [publicUrlComplaint, 'http://gate.example', /must use https: plain http is only for loopback/],
  [publicUrlComplaint, 'https://gate.example/', /must not end in a slash/],
  [publicUrlComplaint, 'https://gate.example?x=y', /must not have a query/],
  [publicUrlComplaint, 'https://gate.example?', /must not have a query/],
  [publicUrlComplaint, 'https://gate.example#x', /must not have a fragment/],
  [publicUrlComplaint, 'https://user:pass@gate.example', /must not hold a user name or password/],
  [publicUrlComplaint, 'http://user:pass@gate.example', /must not hold a user name or password/],
  [publicUrlComplaint, 'https://a~b.example', /must name a host that a client can send/],
  [publicUrlComplaint, 'https://a,b', /must name a host that a client can send/],
  [publicUrlComplaint, 'https://gate.example:0', /must name a host that a client can send/],
  [publicUrlComplaint, 'https://-gate.example/x', /must name a host that a client can send/],
  [bareUrlComplaint, 'https://issuer.example/?x=y', /must not have a query/],
  [bareUrlComplaint, 'http://issuer.example', /must use https/],
  [secureUrlComplaint, 'http://a.example/x', /must use https/],
  [httpUrlComplaint, '/mcp', /absolute http or https URL/],
  [httpUrlComplaint, 'https://token@a.example', /must not hold a user name or password/],
  [originComplaint, '*', /pages nobody named/],
  [originComplaint, 'null', /pages nobody named/],
  [originComplaint, 'https://app.example/', /here that is https:\/\/app\.example$/],
  [originComplaint, 'https://app.example/path', /an origin exactly/],
  [originComplaint, 'https://App.example:443', /here that is https:\/\/app\.example$/],
  [originComplaint, 'https://*.example', /pages nobody named/],
  [originComplaint, 'https://a~b.example', /an origin exactly/],
  [originComplaint, 'https://app.example:0', /an origin exactly/],
  [originComplaint, 'app.example', /an origin exactly/],
  [originComplaint, 'file:///x', /an origin exactly/],
  [originComplaint, 'https://user:pass@app.example', /^(?!.*pass).*an origin exactly/],
  [hostHeaderComplaint, 'https://gate.example', /must be a host/],
  [hostHeaderComplaint, 'gate.example/x', /must be a host/],
  [hostHeaderComplaint, '*.example', /must be a host/],
  [hostHeaderComplaint, 'Gate.example', /in lower case/],
  [hostHeaderComplaint, '', /must be a host/],
  [hostHeaderComplaint, 'a,b', /must be a host/],
  [hostHeaderComplaint, 'gate.example:0', /must be a host/],
  [hostHeaderComplaint, '-gate.example', /must be a host/],
  [hostHeaderComplaint, 'a~b.example', /must be a host/],
  [listenHostComplaint, 'http://127.0.0.1', /without scheme, port or brackets/],
  [listenHostComplaint, '127.0.0.1:8080', /without scheme, port or brackets/],
  [listenHostComplaint, '[::1]', /without scheme, port or brackets/],
  [listenHostComplaint, '', /host name or an IP address/],
]

for (const [rule, texts] of accepted) {
  test(`${rule.name} has nothing against a right value`, () => {
    for (const text of texts) assert.equal(rule(text), undefined, text)
  })
}

for (const [rule, text, complaint] of refused) {
  test(`${rule.name} refuses ${JSON.stringify(text)}`, () => {
    assert.match(rule(text) ?? 'no complaint', complaint)
  })
}
