import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maskUrl, urlSecrets } from './url-secrets.ts'

const masked: readonly [url: string, shown: string, secrets: string[]][] = [
  ['https://h/mcp?code=abc&sig=d%2Fe', 'https://h/mcp?code=***&sig=***', ['abc', 'd%2Fe', 'd/e']],
  ['https://h/mcp?a=b=c&d=', 'https://h/mcp?a=***&d=***', ['b=c']],
  ['https://h/mcp?a+b', 'https://h/mcp?***', ['a+b', 'a b']],
  ['https://h/?x=%zz', 'https://h/?x=***', ['%zz']],
  ['redis://tok3n@h', 'redis://***@h', ['tok3n']],
  ['rediss://to%40k@h:1/2', 'rediss://***@h:1/2', ['to%40k', 'to@k']],
  ['valkey://user:p4ss@h', 'valkey://user:***@h', ['p4ss']],
  ['https://tok3n@h/spec.yaml', 'https://***@h/spec.yaml', ['tok3n']],
  ['postgres://user@db/x?password=p', 'postgres://user@db/x?password=***', ['p']],
]

for (const [url, shown, secrets] of masked) {
  test(`${url} is shown as ${shown}`, () => {
    assert.equal(maskUrl(url), shown)
    assert.deepEqual(urlSecrets(url), secrets)
  })
}

test('an address without secrets is shown as it was written', () => {
  for (const text of [
    'sqlite:./data/x.db',
    './shop.yaml',
    'HTTPS://h',
    'postgres://user@db/x',
    'redis://h',
  ]) {
    assert.equal(maskUrl(text), text)
    assert.deepEqual(urlSecrets(text), [])
  }
})
