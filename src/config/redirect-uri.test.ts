import assert from 'node:assert/strict'
import { test } from 'node:test'
import { redirectUriComplaint } from './redirect-uri.ts'

const accepted = [
  'https://app.example/callback',
  'https://app.example:8443/callback?from=postern',
  'http://127.0.0.1/callback',
  'http://127.0.0.1:33418/',
  'http://localhost:3000/oauth',
  'http://[::1]/callback',
  'com.example.app:/callback',
  'com.example.app://callback',
]

const refused: readonly (readonly [string, RegExp])[] = [
  ['/callback', /must be an https URL/],
  ['https:', /must be an https URL/],
  ['https:app.example', /must be an https URL/],
  ['http://app.example/callback', /plain http would show the code/],
  ['http://127.0.0.1.example/', /plain http/],
  ['http://127.0.0.2/', /plain http/],
  ['http://app.localhost/', /plain http/],
  ['https://app.example/#x', /fragment/],
  ['com.example.app:/callback#', /fragment/],
  ['https://user@app.example/', /user name/],
  ['https://*.app.example/callback', /"\*" has no meaning/],
  ['javascript:alert(1)', /has a dot/],
  ['JavaScript:alert(1)', /has a dot/],
  ['data:text/html,hello', /has a dot/],
  ['file:///etc/passwd', /has a dot/],
  ['myapp:/callback', /has a dot/],
]

test('a code goes to https, to this machine, or to an app with a scheme of its own', () => {
  for (const uri of accepted) assert.equal(redirectUriComplaint(uri), undefined, uri)
})

for (const [uri, complaint] of refused)
  test(`${uri} is no redirect URI, and the complaint says why`, () => {
    assert.match(redirectUriComplaint(uri) ?? '', complaint)
  })
