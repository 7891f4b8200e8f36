import assert from 'node:assert/strict'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { isClientError } from '../../../test/client/client-error-check.ts'
import type { StoredClient, StoredGrant } from '../oauth/token-store.ts'
import { tokenFile } from './token-file.ts'

const folder = await mkdtemp(join(tmpdir(), 'postern-tokens-'))
after(() => rm(folder, { recursive: true }))
let files = 0

test('what was set is there for whoever opens the file next, and gone once deleted', async () => {
  const path = freshPath()
  const [one, two, client] = [
    grantFor('https://a.example/mcp'),
    grantFor('https://b.example/mcp'),
    clientOf(),
  ]
  await tokenFile(path).setGrant(one)
  await tokenFile(path).setGrant(two)
  await tokenFile(path).setClient(client)
  const again = tokenFile(path)
  assert.deepEqual(await again.grant(one.resource), one)
  assert.deepEqual(await again.grants(), [one, two])
  assert.deepEqual(await again.clients(client.issuer), [client])
  assert.deepEqual(await again.clients('https://other.example'), [])
  await again.deleteGrant(one.resource)
  await again.deleteClient(client)
  assert.deepEqual(await tokenFile(path).grants(), [two])
  assert.deepEqual(await tokenFile(path).clients(client.issuer), [])
})

test('no file is an empty one, and reading makes none', async () => {
  const path = freshPath()
  assert.deepEqual(await tokenFile(path).grants(), [])
  await assert.rejects(stat(path), /ENOENT/)
})

test('the file and its folder are for their owner alone, also where the file was not', async () => {
  const path = freshPath()
  await tokenFile(path).setClient(clientOf())
  await chmod(path, 0o644)
  await tokenFile(path).setGrant(grantFor('https://a.example/mcp'))
  assert.equal((await stat(path)).mode & 0o777, 0o600)
  assert.equal((await stat(dirname(path))).mode & 0o777, 0o700)
})

test('many who write at once lose nothing, and leave nothing behind', async () => {
  const path = freshPath()
  const resources = Array.from({ length: 12 }, (_, index) => `https://a.example/${index}`)
  await Promise.all(resources.map((resource) => tokenFile(path).setGrant(grantFor(resource))))
  const kept = (await tokenFile(path).grants()).map(({ resource }) => resource)
  assert.deepEqual(new Set(kept), new Set(resources))
  assert.deepEqual(await readdir(dirname(path)), ['tokens.json'])
})

for (const [what, text] of [
  ['cut off', '{ "version": 1, "grants": {'],
  ['empty', ''],
  ['of another version', '{ "version": 2, "grants": [], "clients": [] }'],
  ['of another kind', '[]'],
  ['without clients', '{ "version": 1, "grants": [] }'],
  ['with half a grant', '{ "version": 1, "grants": [{ "resource": "a" }], "clients": [] }'],
  ['with half a client', '{ "version": 1, "grants": [], "clients": [{ "issuer": "a" }] }'],
] as const)
  test(`a file that is ${what} is named in the error, and is not overwritten`, async () => {
    const path = freshPath()
    await mkdir(dirname(path))
    await writeFile(path, text)
    const isDamaged = (error: Error): boolean => {
      assert.ok(error.message.startsWith(`${path} is damaged`), error.message)
      return isClientError('token_file_damaged')(error)
    }
    await assert.rejects(tokenFile(path).grants(), isDamaged)
    await assert.rejects(tokenFile(path).setClient(clientOf()), isDamaged)
    assert.equal(await readFile(path, 'utf8'), text)
  })

test('a file that cannot be read is named in the error', async () => {
  const path = freshPath()
  await mkdir(path, { recursive: true })
  await assert.rejects(tokenFile(path).grants(), (error: Error) => {
    assert.equal(error.message, `${path} cannot be read (EISDIR)`)
    return isClientError('token_file')(error)
  })
})

test('a file that cannot be locked is named in the error', async () => {
  const path = freshPath()
  await mkdir(`${path}.lock`, { recursive: true })
  await assert.rejects(tokenFile(path).setClient(clientOf()), (error: Error) => {
    assert.equal(error.message, `${path} cannot be written (EISDIR)`)
    return isClientError('token_file')(error)
  })
})

test('what is set again replaces what was there, for each resource, and for each client of an issuer', async () => {
  const store = tokenFile(freshPath())
  const [grant, client] = [grantFor('https://a.example/mcp'), clientOf()]
  await store.setGrant(grant)
  await store.setGrant({ ...grant, accessToken: 'newer' })
  assert.deepEqual(await store.grants(), [{ ...grant, accessToken: 'newer' }])
  const other = { ...client, clientId: 'other' }
  await store.setClient(client)
  await store.setClient(other)
  await store.setClient({ ...client, clientSecret: 'newer' })
  assert.deepEqual(await store.clients(client.issuer), [other, { ...client, clientSecret: 'newer' }])
})

function freshPath(): string {
  files += 1
  return join(folder, String(files), 'tokens.json')
}

function grantFor(resource: string): StoredGrant {
  return {
    resource,
    audience: resource,
    issuer: 'https://issuer.example',
    clientId: 'client',
    accessToken: 'access',
    refreshToken: 'refresh',
    scopes: ['read'],
    savedAt: 1,
    expiresAt: 2,
  }
}

function clientOf(): StoredClient {
  return {
    issuer: 'https://issuer.example',
    clientId: 'client',
    clientSecret: 'secret',
    secretExpiresAt: 3,
    authMethod: 'client_secret_post',
    redirectUris: ['http://127.0.0.1:1/callback'],
  }
}
