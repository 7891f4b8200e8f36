import assert from 'node:assert/strict'
import { test } from 'node:test'
import { coreConfig } from '../../test/authority/core-authority.ts'
import { type ClientIdentity, identifyClient } from './client-identity.ts'
import { asker, askerTitle } from './page-asker.ts'

const config = coreConfig('sqlite::memory:', {})

function identify(clientId: string, clientName: string, redirectUri = ''): ClientIdentity {
  return identifyClient({ clientId, clientName }, redirectUri, config)
}

test('of a client with a document the host comes first, because the name is its own choice', () => {
  const identity = identify('https://Desk.example:8443/client.json', 'Your Bank')
  assert.deepEqual([identity.known, identity.documentHost], ['document', 'desk.example:8443'])
  assert.equal(askerTitle(identity), 'desk.example:8443')
  assert.match(
    asker(identity).markup,
    /<p class="name">desk\.example:8443<\/p>\s*<p>It calls itself “Your Bank”\.<\/p>/,
  )
})

test('a host that imitates another by foreign letters is shown for what it is', () => {
  const identity = identify('https://аpple.example/client.json', 'Apple')
  assert.equal(identity.documentHost, 'xn--pple-43d.example')
})

test('only the configuration makes a client known, whatever it calls itself', () => {
  const known = ['desk', 'a1b2c3'].map((id) => identify(id, 'Desk').known)
  assert.deepEqual(known, ['configured', 'registered'])
})

test('a client without a name is called that', () => {
  assert.equal(identify('a1b2c3', '\u200B').name, 'An app without a name')
})

test('where the browser is sent afterwards is said in words', () => {
  const ways = [
    'http://127.0.0.1:33418/callback',
    'http://[::1]:9/',
    'https://site.example/back',
    'com.example.app:/callback',
    'nonsense',
  ].map((uri) => identify('x', 'X', uri).returnsTo)
  assert.deepEqual(ways, [
    'an app on this computer (127.0.0.1:33418)',
    'an app on this computer ([::1]:9)',
    'site.example',
    'the app on this device that opens com.example.app: links',
    'the app',
  ])
})
