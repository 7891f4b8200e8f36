import assert from 'node:assert/strict'
import { test } from 'node:test'
import { redactShapes } from './redact-shapes.ts'

/** As it stands in a line: inside a JSON string. */
function redactText(text: string): unknown {
  return JSON.parse(redactShapes(`${JSON.stringify({ msg: text })}\n`)).msg
}

const jwt = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U'
const pem = '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg\nkqhkiG9w0BAQEF\n-----END PRIVATE KEY-----\n'

const secretTexts: readonly [text: string, expected: string][] = [
  [`got ${jwt} here`, 'got [redacted] here'],
  [`got\n${jwt}\there`, 'got\n[redacted]\there'],
  [`${jwt.split('.').slice(0, 2).join('.')}.`, '[redacted].'],
  ['next is eyJpZCI6MTIzfQ', 'next is [redacted]'],
  ['aGVhZGVyaGVhZGVy.cGF5bG9hZHBheWxvYWQ.c2lnbmF0dXJlc2ln ok', '[redacted] ok'],
  ['Authorization: Bearer abc.def', 'Authorization: [redacted]'],
  ['sent Bearer abc/def+g== twice', 'sent Bearer [redacted] twice'],
  ['sent\nbearer  abc', 'sent\nbearer  [redacted]'],
  ['Basic dXNlcjpwYXNz', 'Basic [redacted]'],
  ['DPoP eyJ', 'DPoP [redacted]'],
  ['x=Bearer%20abc', 'x=Bearer%20[redacted]'],
  [`key is ${pem}`, 'key is [redacted]\n'],
  ['-----BEGIN RSA PRIVATE KEY-----\nMIIEvQIBADANBg cut off', '[redacted]'],
  ['postgres://user:p4ss@db:5432/x', 'postgres://[redacted]@db:5432/x'],
  ['postgres://user:p@ss/w#rd@db/x', 'postgres://[redacted]@db/x'],
  ['redis://:p4ss@cache', 'redis://[redacted]@cache'],
  ['https://ghx_abcdef@host/p', 'https://[redacted]@host/p'],
  ['GET https://h/p?key=abc&color=def#part', 'GET https://h/p?key=[redacted]&color=[redacted]#part'],
  ['/p?a="quoted"&b=c', '/p?a=[redacted]&b=[redacted]'],
  ['/callback#access_token=abc', '/callback#access_token=[redacted]'],
  ['/p?onlyasecret', '/p?[redacted]'],
  ['to=https%3A%2F%2Fh%3Fsig%3Dabc', 'to=https%3A%2F%2Fh%3Fsig%3D[redacted]'],
  ['AIzaSyA1234567890abcdefghijklmnopqrstu', '[redacted]'],
  ['line\nAIzaSyA1234567890abcdefghijklmnopqrstu', 'line\n[redacted]'],
  ['AQ.Ab8RN6Kabcdefgh_ijk-l', '[redacted]'],
  ['key postern_0123456789abcdef-XYZ!', 'key [redacted]!'],
  ['sk-proj-0123456789abcdef', '[redacted]'],
  ['ghp_0123456789abcdefghij', '[redacted]'],
  ['password: hunter2, again', 'password: [redacted], again'],
  ["{ password: 'two words' }", "{ password: '[redacted]' }"],
  ['{"client_secret":"a b \\" c","x":1}', '{"client_secret":"[redacted]","x":1}'],
  ['{"token": "abc", "n": 1}', '{"token": "[redacted]", "n": 1}'],
  ['grant_type=x&code=abc&code_verifier=def', 'grant_type=x&code=[redacted]&code_verifier=[redacted]'],
  ['code=abc', 'code=[redacted]'],
  ['Cookie: sid=abc; theme=dark\nHost: h', 'Cookie: [redacted]\nHost: h'],
  ['x-goog-api-key: abc', 'x-goog-api-key: [redacted]'],
  ['Cookie: a=\u0007\tabc', 'Cookie: [redacted]'],
  ['authorization=Token abc', 'authorization=[redacted]'],
  ['run --password abc --port 80', 'run --password [redacted] --port 80'],
  ['invalid api key: abc', 'invalid api key: [redacted]'],
  ["{ token: 'abc', n: 1 }", "{ token: '[redacted]', n: 1 }"],
  ['csrf_token: abc', 'csrf_token: [redacted]'],
  ['pwd=abc', 'pwd=[redacted]'],
  ['pass: abc', 'pass: [redacted]'],
  ['failed\npass=abc', 'failed\npass=[redacted]'],
  ['access token: abc', 'access token: [redacted]'],
  ['refresh token = abc', 'refresh token = [redacted]'],
  ['invalid id token: abc', 'invalid id token: [redacted]'],
  ['the client secret was X', 'the client secret was [redacted]'],
  ['api key is abc.def1, sorry', 'api key is [redacted], sorry'],
  ["the password is 'two words'", "the password is '[redacted]'"],
  ['{"pass":"abc"}', '{"pass":"[redacted]"}'],
  ['{"tokenValue":"abc"}', '{"tokenValue":"[redacted]"}'],
  ['{"password":["abc","def"],"n":1}', '{"password":[redacted],"n":1}'],
  ['{"token":[["a]b"],{"c":"d}"}],"n":1}', '{"token":[redacted],"n":1}'],
  ['{"password": {"value":"abc"}} ok', '{"password": [redacted]} ok'],
  ["{ secrets: [ 'a]b' ], n: 1 }", '{ secrets: [redacted], n: 1 }'],
  ['{"password":["abc', '{"password":[redacted]'],
  ['{"jwk":{"kty":"EC","d":"abc"}}', '{"jwk":[redacted]}'],
]

for (const [text, expected] of secretTexts) {
  test(`what looks like a credential is replaced: ${JSON.stringify(text.slice(0, 48))}`, () => {
    assert.equal(redactText(text), expected)
  })
}

test('a secret in JSON inside JSON inside a text is replaced, however often its quotes are escaped', () => {
  let text = JSON.stringify({ password: 'planted', kept: 1 })
  for (let level = 0; level < 3; level += 1) {
    text = JSON.stringify(text)
    assert.doesNotMatch(String(redactText(text)), /planted/)
  }
})

const harmlessTexts = [
  'listening on http://127.0.0.1:8080',
  'token is expired',
  'invalid token: the audience is another',
  'the key set of https://issuer.example/jwks was fetched in 12.5 ms',
  'really? yes & no; a = b',
  'TypeError: x is not a function\n    at file:///srv/postern/src/http/server.ts:12:34',
  '2026-11-15T04:36:17.555Z 10.0.0.1 request 7f1b2c3d-0000-4000-8000-000000000000',
  'mail to someone@example.com',
  'code ECONNREFUSED, key id 2026-01',
  'the password is wrong, and the client secret was refused.',
  'the access token is well-formed; the api key is 32 characters long',
  'bypass: on, compass: north, signature: none, auth: failed, jwt: expired, pin: none',
  'the secret of the client is in secrets.yaml; 3 cookies: allowed',
]

test('an ordinary text stays as it is', () => {
  for (const text of harmlessTexts) assert.equal(redactText(text), text)
})

test('flags and missing secrets in the line itself stay valid JSON', () => {
  const line = '{"password":null,"hasSecret":true,"next_cursor":null,"tokens":7,"code":{"a":1}}\n'
  assert.equal(redactShapes(line), line)
})

const hostileTexts = [
  '://a:',
  'eyJ',
  '?a',
  '&',
  'bearer ',
  '-----BEGIN',
  'password:',
  'a.',
  'aaaaaaaaaaaaa.',
  '%3Fa',
  '\\"',
  'x-',
  'password:[',
  'password:{\\"',
  'secret was ',
  'secret was a',
  '--a',
  "token='",
  'id token',
  "password is a'",
]

test('a long text of almost-credentials takes no more than linear time', () => {
  for (const part of hostileTexts) {
    const line = JSON.stringify({ msg: part.repeat(Math.ceil(200_000 / part.length)) })
    const start = process.threadCpuUsage()
    redactShapes(line)
    const milliseconds = process.threadCpuUsage(start).user / 1000
    assert.ok(milliseconds < 1000, `${part} took ${milliseconds} ms`)
  }
})
