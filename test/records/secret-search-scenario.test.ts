import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { CredentialsFile } from '../../src/store/service-account-file.ts'
import { spawnPostern } from '../serving/spawn-postern.ts'
import { forEachEngine } from '../store/engines.ts'
import { describeFindings, type Haystack, searchSecrets } from './secret-search.ts'
import { dumpDatabase, readFiles } from './secret-search-dump.ts'
import { type SecretHouse, startSecretHouse } from './secret-search-house.ts'
import { notedSecrets, noteSecret } from './secret-search-notes.ts'
import { signIn, signInUpstream, useMachines, useUp } from './secret-search-people.ts'
import { assertLooked, assertUsed } from './secret-search-reach.ts'
import { made } from './secret-search-settings.ts'
import { searchShapes } from './secret-search-shapes.ts'
import {
  type Answer,
  adminScopes,
  bearer,
  boundToken,
  everywhere,
  inventedKey,
  misplace,
  modelScope,
  prompt,
  selfSigned,
  send,
  toolCall,
} from './secret-search-uses.ts'

/** Keys made by an operator and over HTTP, rotated, used in both places, taken where they do not belong, revoked. */
async function useKeys(house: SecretHouse, admin: Readonly<Record<string, string>>): Promise<void> {
  const { place } = house
  const first = Object(await place.json(['keys', 'create', '--name', 'nightly']))
  const second = Object(await place.json(['keys', 'rotate', first.id]))
  const third = (await send(house, '/api/v1/keys', { headers: admin, body: { name: 'daily' } })).body
  const path = `/api/v1/keys/${String(third.id)}`
  const fourth = (await send(house, `${path}:rotate`, { headers: admin, body: {} })).body
  for (const { key } of [first, second, third, fourth]) {
    assert.deepEqual(await everywhere(house, { 'x-goog-api-key': String(key) }), [401, 200, 401])
    assert.deepEqual(await everywhere(house, bearer(key)), [401, 401, 401])
    const inQuery = await send(house, `/v1beta/models/g:generateContent?key=${String(key)}`, { body: prompt })
    assert.equal(inQuery.status, 200)
  }
  await useUpload(house, String(third.key))
  assert.equal((await send(house, path, { method: 'DELETE', headers: admin })).status, 204)
  await everywhere(house, { 'x-goog-api-key': String(third.key) })
  await everywhere(house, { 'x-goog-api-key': inventedKey() })
  await misplace(house, String(second.key), admin)
}

/** The address of an upload is a credential too. */
async function useUpload(house: SecretHouse, key: string): Promise<void> {
  const headers = { 'x-goog-api-key': key, 'x-goog-upload-protocol': 'resumable' }
  const started = await send(house, '/upload/v1beta/files', {
    headers: {
      ...headers,
      'x-goog-upload-command': 'start',
      'x-goog-upload-header-content-type': 'text/plain',
    },
    body: { file: {} },
  })
  const address = new URL(started.headers.get('x-goog-upload-url') ?? '')
  noteSecret('the id of an upload', address.searchParams.get('upload_id'))
  const upload = { 'x-goog-upload-command': 'upload, finalize', 'x-goog-upload-offset': '0' }
  const ended = await send(house, address.pathname + address.search, {
    headers: { ...headers, ...upload },
    body: 'hi',
  })
  assert.equal(ended.status, 200, ended.text)
}

async function useAccounts(
  house: SecretHouse,
  admin: Readonly<Record<string, string>>,
): Promise<CredentialsFile> {
  const scopes = ['notes:read', modelScope]
  const scopeOptions = scopes.flatMap((scope) => ['--scope', scope])
  const robot = Object(
    await house.place.json(['service-accounts', 'create', 'robot', '--project', 'demo', ...scopeOptions]),
  )
  const made = await send(house, '/api/v1/service-accounts', {
    headers: admin,
    body: { name: 'other', scopes },
  })
  const rotated = await send(house, `/api/v1/service-accounts/${String(made.body.id)}:rotate`, {
    headers: admin,
    body: {},
  })
  for (const file of [robot, Object(made.body).credentials, Object(rotated.body).credentials]) {
    assert.deepEqual(await everywhere(house, bearer(selfSigned(file))), [401, 200, 401])
    await everywhere(house, bearer(selfSigned(file, { exp: 1 })))
    await everywhere(house, bearer(`${selfSigned(file).slice(0, -20)}${'A'.repeat(20)}`))
  }
  return robot
}

/** Tokens of two other issuers: JWTs, bound to a key or not, and opaque ones. */
async function useTokens(house: SecretHouse): Promise<Readonly<Record<string, string>>> {
  const { issuer, opaque, url } = house
  const aud = ['mcp', 'v1beta', 'api'].map((surface) => `${url}/${surface}`)
  const claims = { aud, scope: `${adminScopes} ${modelScope}`, sub: 'root' }
  const good = bearer(issuer.token(claims))
  assert.deepEqual(await everywhere(house, good), [200, 200, 200])
  for (const bad of [
    issuer.token({ ...claims, exp: 1 }),
    issuer.token({ ...claims, aud: 'https://other.example' }),
  ])
    assert.deepEqual(await everywhere(house, bearer(bad)), [401, 401, 401])
  const token = made('an opaque token')
  opaque.answers.set(token, { active: true, ...opaque.claims(claims) })
  assert.deepEqual(await everywhere(house, bearer(token)), [200, 200, 200])
  assert.deepEqual(await everywhere(house, bearer(made('an opaque token that nobody gave'))), [401, 401, 401])
  const bound = boundToken(house, claims)
  const proven = bound.prove('/mcp', 'POST')
  assert.equal((await send(house, '/mcp', { headers: proven, body: toolCall('echo') })).status, 200)
  assert.equal((await send(house, '/mcp', { headers: proven, body: toolCall('echo') })).status, 401)
  assert.deepEqual(await everywhere(house, bearer(bound.token)), [401, 401, 401])
  await misplace(house, issuer.token(claims), good)
  return good
}

/** The credentials of engines and tool sources, while all is well and while the others fail. */
async function useUpstreams(house: SecretHouse, good: Readonly<Record<string, string>>): Promise<void> {
  const each = async (): Promise<readonly Answer[]> => [
    await send(house, '/v1beta/models/g:generateContent', { headers: good, body: prompt }),
    await send(house, '/v1beta/models/o:generateContent', { headers: good, body: prompt }),
    await send(house, '/v1beta/models/v:generateContent', { headers: good, body: prompt }),
    await send(house, '/mcp', { headers: good, body: toolCall('docs_echo') }),
    await send(house, '/mcp', { headers: good, body: toolCall('shop_listOrders') }),
  ]
  house.elsewhere.isFailing = true
  await each()
  house.elsewhere.isFailing = false
  for (const { status, text } of await each()) assert.equal(status, 200, text)
  const { seen } = house.elsewhere
  for (const sent of [house.secrets.gemini, house.secrets.openai, house.secrets.openapi])
    assert.ok(seen.has(sent))
  assert.equal(seen.size, 4)
}

/** Page tokens, as given and spoiled, and all that can be listed. */
async function readLists(
  house: SecretHouse,
  good: Readonly<Record<string, string>>,
): Promise<readonly Haystack[]> {
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
  const { nextCursor } = Object((await send(house, '/mcp', { headers: good, body: list })).body.result)
  const { next_cursor: next } = (await send(house, '/api/v1/keys?limit=1', { headers: good })).body
  const { nextPageToken } = (await send(house, '/v1beta/models?pageSize=1', { headers: good })).body
  for (const [kind, text] of Object.entries({ nextCursor, next, nextPageToken })) {
    assert.ok(typeof text === 'string')
    noteSecret(`a page token (${kind})`, text)
    for (const cursor of [text, `${text.slice(0, -20)}${'A'.repeat(20)}`]) {
      await send(house, '/mcp', { headers: good, body: { ...list, params: { cursor } } })
      await send(house, `/api/v1/keys?cursor=${cursor}`, { headers: good })
      await send(house, `/v1beta/models?pageToken=${cursor}`, { headers: good })
    }
  }
  const paths = ['keys', 'service-accounts', 'sessions', 'events?limit=100', 'usage', 'openapi.json']
  const answers = await Promise.all(
    paths.map(async (path) => ({ path, ...(await send(house, `/api/v1/${path}`, { headers: good })) })),
  )
  for (const { status, text } of answers) assert.equal(status, 200, text)
  return answers.map(({ path, text }) => ({ name: `GET /api/v1/${path}`, bytes: Buffer.from(text) }))
}

/** A configuration that cannot be taken, a store that is not there, a Redis that dies. */
async function fail(house: SecretHouse, good: Readonly<Record<string, string>>): Promise<void> {
  const { place, gateway, settings, redis } = house
  const short = made('a paging key that is too short').slice(0, 20)
  noteSecret('a paging key that is too short', short)
  const spoiled = { ...settings, paging: { keys: [short] }, pagingKeys: house.secrets.paging }
  await writeFile(join(place.folder, 'postern.yaml'), JSON.stringify(spoiled))
  gateway.child.kill('SIGHUP')
  await place.call(['config', 'check'])
  await writeFile(join(place.folder, 'postern.yaml'), JSON.stringify(settings))
  const dead = { ...settings, store: `postgres://ann:${made('a wrong password of Postgres')}@127.0.0.1:1/x` }
  await writeFile(join(place.folder, 'dead.yaml'), JSON.stringify(dead))
  await using program = spawnPostern(['serve', '--config', 'dead.yaml'], { cwd: place.folder })
  assert.notEqual(await program.ended(), 0)
  await redis.kill()
  assert.deepEqual(await everywhere(house, good), [503, 503, 503])
}

async function commandOutputs({ place }: SecretHouse): Promise<readonly Haystack[]> {
  const commands = [
    'config check',
    'keys list',
    'service-accounts list',
    'authority users list',
    'authority keys list',
    'events verify',
  ]
  const outputs: Haystack[] = []
  for (const command of commands) {
    const { code, out, err } = await place.call(command.split(' '))
    assert.equal(code, 0, err)
    outputs.push({ name: `postern ${command}`, bytes: Buffer.from(out + err) })
  }
  return outputs
}

function leftBehind({ place, gateway, authority }: SecretHouse): readonly Haystack[] {
  const written = /\.(?:yaml|json|jwt)$/
  return [
    { name: 'the log of the gateway', bytes: Buffer.from(gateway.out() + gateway.err()) },
    { name: 'the log of the authority', bytes: Buffer.from(authority.out() + authority.err()) },
    ...readFiles(place.folder, (name) => !written.test(name)),
  ]
}

forEachEngine((engine) => {
  test('no credential that was used, rightly or wrongly, is in the database, in a file or in a log', async () => {
    await using house = await startSecretHouse(engine)
    const good = await useTokens(house)
    await useKeys(house, good)
    const robot = await useAccounts(house, good)
    const people = await signIn(house, 'api', adminScopes)
    assert.deepEqual(await everywhere(house, bearer(people.access)), [401, 401, 200])
    const opaque = await signIn(house, 'v1beta', modelScope)
    assert.doesNotMatch(opaque.access, /\./)
    assert.deepEqual(await everywhere(house, bearer(opaque.access)), [401, 401, 401])
    await useUp(house, people)
    await useUp(house, opaque)
    await signInUpstream(house)
    assert.deepEqual(await everywhere(house, bearer(await useMachines(house, robot))), [200, 401, 401])
    await useUpstreams(house, good)
    const lists = await readLists(house, good)
    await pause(200)
    const during = leftBehind(house)
    await fail(house, good)
    const commands = await commandOutputs(house)
    house.gateway.child.kill('SIGTERM')
    await house.gateway.ended()
    const haystacks = [
      ...lists,
      ...during,
      ...commands,
      ...leftBehind(house),
      ...(await dumpDatabase(house.database)),
    ]
    const secrets = notedSecrets()
    assertUsed(secrets.map(({ kind }) => kind))
    assertLooked(haystacks)
    const findings = [...searchSecrets(secrets, haystacks), ...searchShapes(haystacks)]
    assert.equal(describeFindings(findings), '')
  })
})
