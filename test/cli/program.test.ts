import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { tokenFile } from '../../src/client/node/token-file.ts'
import { startAnsweringServer } from '../client/answering-server.ts'
import { honestToken, startScriptedServers } from '../client/scripted-servers.ts'
import { freshFolder, spawnPostern } from '../serving/spawn-postern.ts'

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  test(`${signal} during a refresh ends the program once the new token is kept`, async () => {
    await using servers = await startScriptedServers()
    await using folder = await freshFolder()
    const { resource, issuer } = servers
    const path = join(folder.path, 'tokens.json')
    servers.refreshTokens.set('refresh-first', ['read'])
    const times = { savedAt: 0, expiresAt: 1 }
    const names = { resource, audience: resource, issuer, clientId: 'registered-client' }
    const tokens = { accessToken: 'first', refreshToken: 'refresh-first', scopes: ['read'] }
    await tokenFile(path).setGrant({ ...names, ...tokens, ...times })
    servers.script.set('/token', (arrival) => {
      postern.child.kill(signal)
      return honestToken(arrival, servers)
    })
    await using postern = spawnPostern(['tools', '--url', resource], {
      cwd: folder.path,
      env: { POSTERN_TOKEN_FILE: path },
    })
    assert.equal(await postern.ended(), signal)
    const { refreshToken = '' } = (await tokenFile(path).grant(resource)) ?? {}
    assert.ok(servers.refreshTokens.has(refreshToken), refreshToken)
    assert.deepEqual(await readdir(folder.path), ['tokens.json'])
  })

test('who presses Ctrl-C again during a refresh does not wait for it', async () => {
  await using servers = await startScriptedServers()
  await using folder = await freshFolder()
  const { resource, issuer } = servers
  const path = join(folder.path, 'tokens.json')
  const names = { resource, audience: resource, issuer, clientId: 'registered-client' }
  const tokens = { accessToken: 'first', refreshToken: 'refresh-first', scopes: ['read'] }
  await tokenFile(path).setGrant({ ...names, ...tokens, savedAt: 0, expiresAt: 1 })
  const asked = Promise.withResolvers<void>()
  await using silent = await startAnsweringServer(() => asked.resolve())
  servers.script.set('/.well-known/oauth-authorization-server', () => ({
    body: { issuer, authorization_endpoint: `${issuer}/authorize`, token_endpoint: silent.url },
  }))
  await using postern = spawnPostern(['tools', '--url', resource], {
    cwd: folder.path,
    env: { POSTERN_TOKEN_FILE: path },
  })
  await asked.promise
  const pressing = setInterval(() => postern.child.kill('SIGINT'), 100)
  assert.equal(await postern.ended(), 'SIGINT')
  clearInterval(pressing)
})

if (existsSync('/dev/full'))
  test('output that cannot be written is an error in words', () => {
    const program = fileURLToPath(new URL('../../bin/postern.js', import.meta.url))
    const command = ['-c', '"$0" "$1" version > /dev/full', process.execPath, program]
    const { status, stderr } = spawnSync('sh', command, { encoding: 'utf8' })
    assert.equal(status, 1)
    assert.match(stderr, /^postern: standard output cannot be written \(ENOSPC\)/)
  })
