import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual, promisify } from 'node:util'
import { GoogleGenAI } from '@google/genai'
import { readPage } from '../docs/command-blocks.ts'
import { type Folder, freshFolder, type Postern, spawnPostern } from './spawn-postern.ts'
import { writeCurl } from './stand-in-curl.ts'

interface Running {
  readonly text: string
  readonly gateway: string
  readonly authority: string
  readonly password: string
}

async function running(postern: Postern): Promise<Running> {
  const text = await postern.says('Stop with Ctrl-C')
  const after = (name: string): string => new RegExp(`^ +${name} +(\\S+)`, 'm').exec(text)?.[1] ?? ''
  const password = /sign in +demo \/ (\S+)/.exec(text)?.[1] ?? ''
  return { text, gateway: after('gateway'), authority: after('authority'), password }
}

async function json(url: string): Promise<Record<string, unknown>> {
  const response = await fetch(url)
  assert.equal(response.status, 200, url)
  return Object(await response.json())
}

/** The ids of the keys that the authority publishes. */
async function keyIds(authority: string): Promise<unknown[]> {
  const { jwks_uri: uri } = await json(`${authority}/.well-known/oauth-authorization-server`)
  const { keys } = await json(String(uri))
  return Object(keys).map(({ kid }: { kid: unknown }) => kid)
}

/** Resolves once this authority answers no more; another program may have its port by then. */
async function silence(authority: string, keys: readonly unknown[]): Promise<void> {
  while (isDeepStrictEqual(await keyIds(authority).catch(() => undefined), keys)) await delay(50)
}

/** The variables that a text tells a shell to export. */
function exported(text: string): Record<string, string> {
  const lines = Array.from(text.matchAll(/^ *export .*$/gm), ([line]) => line).join('\n')
  const pairs = lines.matchAll(/(\w+)=(?:"([^"]*)"|(\S+))/g)
  return Object.fromEntries(Array.from(pairs, ([, name = '', quoted, bare = '']) => [name, quoted ?? bare]))
}

async function apiKeyIn({ path }: Folder): Promise<string> {
  return (await readFile(join(path, 'data', 'dev-api-key'), 'utf8')).trim()
}

/** Two that are started together; the tests use them, end them and start others in their folders, one after the other. */
describe('dev', () => {
  let folder: Folder
  let elsewhere: Folder
  let postern: Postern
  let other: Postern
  let program: Running
  let otherProgram: Running
  before(async () => {
    folder = await freshFolder()
    elsewhere = await freshFolder()
    postern = spawnPostern(['dev'], { cwd: folder.path })
    other = spawnPostern(['dev'], { cwd: elsewhere.path })
    ;[program, otherProgram] = await Promise.all([running(postern), running(other)])
  })
  after(async () => {
    await postern[Symbol.asyncDispose]()
    await other[Symbol.asyncDispose]()
    await folder[Symbol.asyncDispose]()
    await elsewhere[Symbol.asyncDispose]()
  })

  test('two started together take two pairs of ports, and the one that comes later says why', () => {
    const both = [program, otherProgram]
    const urls = both.flatMap(({ gateway, authority }) => [gateway, authority])
    assert.equal(new Set(urls).size, 4)
    assert.match(both.map(({ text }) => text).join(''), /\(8080 or 8081 is taken\)/)
    assert.ok(existsSync(join(elsewhere.path, 'data', 'dev.db')))
  })

  test('runs both programs, and the challenge of one leads to the keys of the other', async () => {
    const { gateway, authority } = program
    const refusal = await fetch(`${gateway}/mcp`, { method: 'POST' })
    assert.equal(refusal.status, 401)
    const challenge = refusal.headers.get('www-authenticate') ?? ''
    const resource = await json(/resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? '')
    assert.deepEqual(resource.authorization_servers, [authority])
    assert.deepEqual(resource.scopes_supported, ['demo:echo', 'demo:generate', 'demo:time'])
    const discovered = await json(`${authority}/.well-known/oauth-authorization-server`)
    assert.equal(discovered.issuer, authority)
    assert.equal((await keyIds(authority)).length, 1)
  })

  test('prints commands for a shell, each of which works as it stands', async () => {
    const path = [await writeCurl(folder.path), dirname(process.execPath), process.env.PATH].join(delimiter)
    const lines = program.text
      .split('\n')
      .flatMap((line) => /^ {2}((?:curl|TOKEN=|export).*)$/.exec(line)?.[1] ?? [])
    assert.equal(lines.length, 7)
    const { stdout } = await promisify(execFile)('sh', ['-ec', lines.join('\n')], {
      env: { ...process.env, PATH: path },
    })
    const answers = stdout.split('\n').filter((line) => line !== '')
    assert.match(answers[0] ?? '', /^401 .*resource_metadata=/)
    assert.match(answers[1] ?? '', /"authorization_servers"/)
    assert.match(answers[2] ?? '', /"token_endpoint"/)
    assert.match(answers[3] ?? '', /"text":"hello"/)
    assert.match(answers[4] ?? '', /"modelVersion":"stories15M"/)
  })

  test('prints variables that are all the official SDK and the Gemini CLI need', async () => {
    const {
      GOOGLE_GEMINI_BASE_URL: baseUrl = '',
      GEMINI_API_KEY: apiKey = '',
      ...more
    } = exported(program.text)
    const ai = new GoogleGenAI({ apiKey, httpOptions: { baseUrl } })
    // Drawn at random, the answer may be no more than a full stop.
    const config = { maxOutputTokens: 4, temperature: 0 }
    const order = { model: 'gemini-3.5-flash', contents: 'Once', config }
    assert.match((await ai.models.generateContent(order)).text ?? '', /\w/)
    // With the same ones, as a page has them, test/docs/dev-pages.test.ts runs the Gemini CLI.
    const [GOOGLE_GEMINI_BASE_URL, GEMINI_API_KEY] = ['http://127.0.0.1:8080', '$(cat data/dev-api-key)']
    assert.deepEqual(exported(readPage('docs/clients.md')), {
      GOOGLE_GEMINI_BASE_URL,
      GEMINI_API_KEY,
      ...more,
    })
    assert.deepEqual([baseUrl, apiKey], [program.gateway, await apiKeyIn(folder)])
  })

  test('writes nothing outside ./data, and for nobody else to read', async () => {
    assert.deepEqual(await readdir(folder.path), ['data'])
    const files = 'dev-secret dev-demo-password dev-script-secret dev-api-key dev.yaml dev.db'.split(' ')
    for (const name of ['', ...files])
      assert.equal((await stat(join(folder.path, 'data', name))).mode & 0o077, 0, name)
    const check = spawnPostern(['config', 'check', '--config', 'data/dev.yaml'], { cwd: folder.path })
    assert.equal(await check.ended(), 0, check.err())
    for (const name of ['dev-secret', 'dev-script-secret'])
      assert.ok(!check.out().includes((await readFile(join(folder.path, 'data', name), 'utf8')).trim()))
  })

  test('ends at SIGINT without a complaint, and has said nothing of requests', async () => {
    await json(`${program.gateway}/healthz`)
    const keys = await keyIds(program.authority)
    postern.child.kill('SIGINT')
    assert.equal(await postern.ended(), 0)
    assert.match(postern.out(), /Stopped\.\n$/)
    assert.doesNotMatch(postern.out(), /"path"|"level":"(?:warn|error)"/)
    assert.equal(postern.err(), '')
    await silence(program.authority, keys)
  })

  test('asked to be verbose, dev logs requests and keeps its API key; Ctrl-C, which reaches both programs at once, stops them in good order', async () => {
    const kept = await apiKeyIn(folder)
    await using verbose = spawnPostern(['dev', '--verbose'], { cwd: folder.path, isBelowShell: true })
    const { authority, gateway } = await running(verbose)
    assert.equal(await apiKeyIn(folder), kept)
    const keys = await keyIds(authority)
    await json(`${gateway}/healthz`)
    await verbose.says('"path":"/healthz"')
    process.kill(-Number(verbose.child.pid), 'SIGINT')
    await verbose.says('Stopped.')
    await verbose.ended()
    assert.equal(verbose.out().match(/"msg":"stopped"/g)?.length, 2)
    assert.doesNotMatch(verbose.out(), /stopping at once/)
    await silence(authority, keys)
  })

  test('dev makes another API key when its own was revoked; below npm it stops when the shell between them is killed', async () => {
    const revoked = await apiKeyIn(folder)
    const list = spawnPostern(['keys', 'list', '--json', '--config', 'data/dev.yaml'], { cwd: folder.path })
    await list.ended()
    const { id } = JSON.parse(list.out())
    const revoke = spawnPostern(['keys', 'revoke', id, '--config', 'data/dev.yaml'], { cwd: folder.path })
    assert.equal(await revoke.ended(), 0)
    const env = { npm_lifecycle_event: 'start' }
    await using below = spawnPostern(['dev'], { cwd: folder.path, env, isBelowShell: true })
    const { authority } = await running(below)
    assert.notEqual(await apiKeyIn(folder), revoked)
    const keys = await keyIds(authority)
    below.child.kill('SIGKILL')
    await below.says('Stopped.')
    await below.ended()
    await silence(authority, keys)
  })

  test('kill -9 of dev ends the authority below it, and a second start keeps password and keys', async () => {
    const keys = await keyIds(otherProgram.authority)
    other.child.kill('SIGKILL')
    await other.ended()
    await silence(otherProgram.authority, keys)
    other = spawnPostern(['dev', '--verbose'], { cwd: elsewhere.path })
    const { authority, password } = await running(other)
    assert.deepEqual([password, await keyIds(authority)], [otherProgram.password, keys])
  })

  test('when the authority dies dev says so and ends with 1', async () => {
    const { pid } = await other.logs('ready')
    process.kill(Number(pid), 'SIGKILL')
    assert.equal(await other.ended(), 1)
    assert.match(other.err(), /^The authority has ended by itself, so the gateway stops too\./)
  })

  test('with another secret than the one that sealed its keys, dev says why it fails', async () => {
    await elsewhere.write('data/dev-secret', 'another-secret-than-the-one-that-sealed-the-keys')
    await using last = spawnPostern(['dev'], { cwd: elsewhere.path })
    assert.equal(await last.ended(), 1)
    assert.match(last.err(), /^postern: the authority did not start: .*secret/s)
  })
})
