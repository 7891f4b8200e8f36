import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { connect } from 'node:net'
import { delimiter, dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { GoogleGenAI } from '@google/genai'
import { runProgram } from '../conformance/run-program.ts'
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

/** Resolves once nobody listens there any more. */
async function silence(url: string): Promise<void> {
  for (;;) {
    const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1' })
    const outcome: unknown = await once(socket, 'connect').catch((error: unknown) => error)
    socket.destroy()
    if (outcome instanceof Error) return
  }
}

describe('dev', () => {
  let folder: Folder
  let postern: Postern
  let program: Running
  before(async () => {
    folder = await freshFolder()
    postern = spawnPostern(['dev'], { cwd: folder.path })
    program = await running(postern)
  })
  after(async () => {
    await postern[Symbol.asyncDispose]()
    await folder[Symbol.asyncDispose]()
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
    const [line = ''] = /^ {2}export .*$/m.exec(program.text) ?? []
    const env = Object.fromEntries(
      Array.from(line.matchAll(/(\w+)=(\S+)/g), ([, name, value = '']) => [
        name,
        value.replaceAll('"', '').replace('$PWD', folder.path),
      ]),
    )
    const { GOOGLE_GEMINI_BASE_URL: baseUrl = '', GEMINI_API_KEY: apiKey = '' } = env
    const ai = new GoogleGenAI({ apiKey, httpOptions: { baseUrl } })
    const order = { model: 'gemini-3.5-flash', contents: 'Once', config: { maxOutputTokens: 4 } }
    assert.match((await ai.models.generateContent(order)).text ?? '', /\w/)
    const cli = { of: '@google/gemini-cli', file: 'bundle/gemini.js' } as const
    const end = await runProgram(cli, ['-m', 'tiny', '-p', 'Once upon a time'], { seconds: 50, env })
    assert.equal(end.code, 0, end.err)
    assert.match(end.out, /\w/)
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
    postern.child.kill('SIGINT')
    assert.equal(await postern.ended(), 0)
    assert.match(postern.out(), /Stopped\.\n$/)
    assert.doesNotMatch(postern.out(), /"path"|"level":"(?:warn|error)"/)
    assert.equal(postern.err(), '')
    await silence(program.authority)
  })
})

test('dev keeps its API key, and makes another when that one was revoked', async () => {
  await using folder = await freshFolder()
  const keys: string[] = []
  for (const revokes of [false, true, false]) {
    await using postern = spawnPostern(['dev'], { cwd: folder.path })
    await running(postern)
    keys.push((await readFile(join(folder.path, 'data', 'dev-api-key'), 'utf8')).trim())
    postern.child.kill('SIGTERM')
    await postern.ended()
    if (!revokes) continue
    const list = spawnPostern(['keys', 'list', '--json', '--config', 'data/dev.yaml'], { cwd: folder.path })
    await list.ended()
    const { id } = JSON.parse(list.out())
    const revoke = spawnPostern(['keys', 'revoke', id, '--config', 'data/dev.yaml'], { cwd: folder.path })
    assert.equal(await revoke.ended(), 0)
  }
  assert.equal(keys[0], keys[1])
  assert.notEqual(keys[1], keys[2])
})

test('asked to be verbose, dev logs requests; Ctrl-C, which reaches both programs at once, stops them in good order', async () => {
  await using folder = await freshFolder()
  await using postern = spawnPostern(['dev', '--verbose'], { cwd: folder.path, isBelowShell: true })
  const { authority, gateway } = await running(postern)
  await json(`${gateway}/healthz`)
  await postern.says('"path":"/healthz"')
  process.kill(-Number(postern.child.pid), 'SIGINT')
  await postern.says('Stopped.')
  await postern.ended()
  assert.equal(postern.out().match(/"msg":"stopped"/g)?.length, 2)
  assert.doesNotMatch(postern.out(), /stopping at once/)
  await silence(authority)
})

test('kill -9 of dev ends the authority below it, a second start keeps password and keys, one with another secret says why it fails', async () => {
  await using folder = await freshFolder()
  const seen: unknown[] = []
  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    await using postern = spawnPostern(['dev'], { cwd: folder.path })
    const { authority, password } = await running(postern)
    seen.push([password, await keyIds(authority)])
    postern.child.kill(signal)
    await postern.ended()
    await silence(authority)
  }
  assert.deepEqual(seen[0], seen[1])
  await folder.write('data/dev-secret', 'another-secret-than-the-one-that-sealed-the-keys')
  await using last = spawnPostern(['dev'], { cwd: folder.path })
  assert.equal(await last.ended(), 1)
  assert.match(last.err(), /^postern: the authority did not start: .*secret/s)
})

test('when the authority dies dev says so and ends with 1', async () => {
  await using folder = await freshFolder()
  await using postern = spawnPostern(['dev', '--verbose'], { cwd: folder.path })
  const { gateway } = await running(postern)
  const { pid } = await postern.logs('ready')
  process.kill(Number(pid), 'SIGKILL')
  assert.equal(await postern.ended(), 1)
  assert.match(postern.err(), /^The authority has ended by itself, so the gateway stops too\./)
  await silence(gateway)
})

test('two started together take two pairs of ports, and the one that comes later says why', async () => {
  await using first = await freshFolder()
  await using second = await freshFolder()
  await using one = spawnPostern(['dev'], { cwd: first.path })
  await using two = spawnPostern(['dev'], { cwd: second.path })
  const both = await Promise.all([running(one), running(two)])
  const urls = both.flatMap(({ gateway, authority }) => [gateway, authority])
  assert.equal(new Set(urls).size, 4)
  assert.match(both.map(({ text }) => text).join(''), /\(8080 or 8081 is taken\)/)
  assert.ok(existsSync(join(second.path, 'data', 'dev.db')))
})

test('dev below npm stops when the shell between them is killed', { timeout: 30_000 }, async () => {
  await using folder = await freshFolder()
  const env = { npm_lifecycle_event: 'start' }
  await using postern = spawnPostern(['dev'], { cwd: folder.path, env, isBelowShell: true })
  const { authority } = await running(postern)
  postern.child.kill('SIGKILL')
  await postern.says('Stopped.')
  await postern.ended()
  await silence(authority)
})
