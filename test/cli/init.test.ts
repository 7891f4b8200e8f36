import assert from 'node:assert/strict'
import { chmod, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Io } from '../../src/cli/io.ts'
import type { Typed } from '../../src/cli/line-input.ts'
import { emptyPlace, init, secretsIn, written } from './init-place.ts'

/** Somebody at a terminal who types these lines; `asked` collects the questions. */
function person(lines: readonly (string | Typed)[], asked: string[] = []): Partial<Io> {
  const left = [...lines]
  const next = async (question: string): Promise<Typed> => {
    asked.push(question)
    const line = left.shift() ?? assert.fail(`nothing is left to answer: ${question}`)
    return typeof line === 'string' ? { kind: 'line', text: line } : line
  }
  return { openLines: () => ({ isTyped: true, next, interrupt: () => false, close: () => {} }) }
}

const engines: Readonly<Record<string, readonly string[]>> = {
  story: [],
  gemini: ['--model', 'gemini-3.5-flash'],
  vertex: ['--project', 'my-project'],
  openai: ['--model', 'library/qwen3:8b', '--base-url', 'https://models.example/v1'],
  llama: ['--model-file', './a "quoted" # file.gguf'],
  none: [],
}

const tools: Readonly<Record<string, readonly string[]>> = {
  builtin: [],
  module: ['--tools-file', './tools/mine.ts'],
  mcp: ['--tools-url', 'http://127.0.0.1:9999/mcp'],
  openapi: ['--tools-file', './shop.yaml', '--tools-url', 'https://shop.example/v2'],
  none: [],
}

const places: readonly (readonly string[])[] = [
  [],
  ['--public-url', 'http://localhost:8082'],
  ['--public-url', 'http://127.0.0.1:8081'],
  ['--public-url', 'https://gate.example'],
  ['--public-url', 'https://gate.example', '--listen', '0.0.0.0:9000'],
]
const stores: readonly (readonly string[])[] = [
  [],
  ['--store', 'postgres://me:pass%20word@db.example/postern'],
]
const issuers: readonly (readonly string[])[] = [[], ['--issuer', 'https://login.example/realms/a']]

/** Everything that can be answered together, besides the two by which the tests are named and the place. */
const services = stores.flatMap((store) => issuers.map((issuer) => [...store, ...issuer]))

/** Every place, with one of the services for each test, so that every engine and every kind of tools meets them all. */
function surroundings(engine: number, kind: number): readonly (readonly string[])[] {
  const service = services[(engine + kind) % services.length] ?? []
  return places.map((place) => [...place, ...service])
}

for (const [engineIndex, [engine, engineOptions]] of Object.entries(engines).entries())
  for (const [kindIndex, [kind, toolOptions]] of Object.entries(tools).entries())
    test(`with ${engine} models and ${kind} tools, every configuration is one that "config check" accepts`, async () => {
      await using place = await emptyPlace()
      const chosen = ['--engine', engine, ...engineOptions, '--tools', kind, ...toolOptions]
      for (const around of surroundings(engineIndex, kindIndex)) {
        const order = Object(await place.json([...init, '--force', ...chosen, ...around]))
        const given = Object.fromEntries(order.variables.map((name: string) => [name, 'a key']))
        const env = { ...given, ...(await secretsIn(place, order.secrets)) }
        const { code, out, err } = await place.call(['config', 'check', '--json'], { env })
        assert.equal(code, 0, `${around.join(' ')}: ${out}${err}`)
        const { config } = JSON.parse(out)
        assert.equal(config.models[0]?.engine ?? 'none', engine)
        assert.equal(config.tools.sources[0]?.kind ?? 'none', kind)
      }
    })

test('what is answered stands in the configuration', async () => {
  await using place = await emptyPlace()
  const options = ['--public-url', 'https://gate.example', '--listen', '[::1]:9000', '--engine', 'openai']
  await place.call([...init, ...options, '--authority-url', 'https://id.example', '--store', 'sqlite:./x.db'])
  const { config } = Object(await place.json(['config', 'check'], { env: await secretsIn(place) }))
  const { server, authority, issuers: accepted, store, models } = config
  assert.deepEqual(
    [server.publicUrl, server.host, server.port, store],
    ['https://gate.example', '::1', 9000, 'sqlite:./x.db'],
  )
  assert.deepEqual([authority.issuer, accepted[0].issuer], ['https://id.example', 'https://id.example'])
  assert.deepEqual([models[0].name, models[0].baseUrl], ['qwen3', 'http://127.0.0.1:11434/v1'])
})

test('every secret is new, in a file beside the configuration, and both are readable by their owner alone', async () => {
  await using place = await emptyPlace()
  const secrets: string[] = []
  for (const [file, env] of [
    ['one.yaml', 'one.env'],
    ['postern.yaml', '.env'],
  ] as const) {
    assert.equal((await place.call([...init, '--config', file])).code, 0)
    for (const name of [file, env])
      assert.equal((await stat(join(place.folder, name))).mode & 0o777, 0o600, name)
    const made = await secretsIn(place, env)
    assert.deepEqual(Object.keys(made), ['POSTERN_PAGING_KEY', 'POSTERN_AUTHORITY_SECRET'])
    secrets.push(...Object.values(made))
    assert.doesNotMatch(await written(place, file), /[\w+/]{43}=/)
  }
  for (const secret of secrets) assert.match(secret, /^[\w+/]{43}=$/)
  assert.equal(new Set(secrets).size, 4)
})

test('it has comments, and says what to do next without its secrets', async () => {
  await using place = await emptyPlace()
  const { out } = await place.call([...init, '--engine', 'gemini'])
  assert.equal(
    out,
    `Wrote postern.yaml, and its secrets to .env; both are readable by you alone. Next:

  set -a; . ./.env; set +a
  export UPSTREAM_GEMINI_API_KEY=…
  postern config check
  postern authority users add NAME
  postern authority
  postern serve

Every shell that runs one of these needs the secrets, and so the line that begins with "set -a".
`,
  )
  assert.match(await written(place), /^# Whose access tokens the gateway accepts\./m)
  const check = await place.call(['config', 'check'], { env: await secretsIn(place) })
  assert.equal(check.code, 1)
  assert.match(check.err, /UPSTREAM_GEMINI_API_KEY/)
})

test('a file that is there is replaced only with --force, and is private then', async () => {
  await using place = await emptyPlace()
  const path = join(place.folder, 'postern.yaml')
  await writeFile(path, 'mine')
  await chmod(path, 0o644)
  const { code, out, err } = await place.call(init)
  assert.deepEqual([code, out], [1, ''])
  assert.match(err, /postern\.yaml is there already: --force replaces it/)
  assert.equal(await written(place), 'mine')
  assert.equal((await place.call([...init, '--force'])).code, 0)
  assert.match(await written(place), /^server:/m)
  assert.equal((await stat(path)).mode & 0o777, 0o600)
  assert.deepEqual((await readdir(place.folder)).sort(), ['.env', 'postern.yaml'])
})

test('at a terminal it asks little, and Enter takes what is usual', async () => {
  await using place = await emptyPlace()
  const asked: string[] = []
  assert.equal((await place.call(['init'], person(['', '', '', '', ''], asked))).code, 0)
  assert.deepEqual(asked, [
    'By which URL do clients reach the gateway? [http://127.0.0.1:8080] ',
    'Which database: sqlite:PATH, or postgres://user:password@host/database? [sqlite:./data/postern.db] ',
    'Who signs people in: "own" for the authority that comes with Postern, or the URL of your issuer? [own] ',
    'Which models: story, gemini, vertex, openai, llama, none? [story] ',
    'Which tools first: builtin, module, mcp, openapi, none? [builtin] ',
  ])
})

test('what an option has answered is not asked, and a wrong answer is asked again', async () => {
  await using place = await emptyPlace()
  const asked: string[] = []
  const typed = person(['ftp://x', 'https://gate.example', '', 'vertex', '', '', 'my-project'], asked)
  const options = ['--store', 'sqlite:./x.db', '--issuer', 'https://id.example', '--tools', 'none']
  const { code, err } = await place.call(['init', ...options], typed)
  assert.equal(code, 0, err)
  assert.equal(err, 'The answer must be an absolute http or https URL.\nThe answer must not be empty.\n')
  const { config } = Object(await place.json(['config', 'check'], { env: await secretsIn(place) }))
  assert.deepEqual(
    [config.server.publicUrl, config.models[0].project],
    ['https://gate.example', 'my-project'],
  )
  assert.equal(asked.filter((question) => /database|signs people in|tools/.test(question)).length, 0)
})

for (const kind of ['end', 'interrupt'] as const)
  test(`who leaves (${kind}) in the middle has written nothing`, async () => {
    await using place = await emptyPlace()
    const { code, out, err } = await place.call(['init'], person(['', { kind }]))
    assert.deepEqual([code, out], [1, ''])
    assert.match(err, /stopped; nothing was written/)
    assert.deepEqual(await readdir(place.folder), [])
  })

const misuses: readonly [args: readonly string[], says: RegExp][] = [
  [['init'], /there is no terminal to ask on: take the usual answers with --yes/],
  [[...init, '--engine', 'gpt'], /--engine must be one of story, gemini, vertex, openai, llama, none/],
  [[...init, '--engine', 'vertex'], /it has to be said: --project/],
  [[...init, '--tools', 'mcp'], /it has to be said: --tools-url/],
  [[...init, '--project', 'x'], /--project goes only with --engine vertex/],
  [
    [...init, '--issuer', 'https://a', '--authority-url', 'https://b'],
    /--authority-url goes only with --issuer own/,
  ],
  [[...init, '--public-url', 'http://gate.example'], /--public-url must use https/],
  [[...init, '--listen', 'here'], /--listen must be a host and a port/],
  [[...init, '--store', 'mysql://x'], /--store must/],
  [[...init, '--model', 'a b', '--engine', 'openai'], /--model must be the name of a model/],
  [[...init, '--config', ''], /--config must name a file/],
  [
    [...init, '--listen', '127.0.0.1:8081', '--authority-url', 'http://127.0.0.1:8081'],
    /These answers do not go together, and nothing was written\.\n.*authority\.port must differ/s,
  ],
]

for (const [args, says] of misuses)
  test(`postern ${args.join(' ')} is a misuse, and nothing is written`, async () => {
    await using place = await emptyPlace()
    const { code, out, err } = await place.call(args)
    assert.deepEqual([code, out], [2, ''], err)
    assert.match(err, says)
    assert.deepEqual(await readdir(place.folder), [])
  })

test('a folder that is not there is named', async () => {
  await using place = await emptyPlace()
  const { code, err } = await place.call([...init, '--config', 'nowhere/postern.yaml'])
  assert.equal(code, 1)
  assert.match(err, /nowhere\/postern\.yaml cannot be written \(ENOENT\)/)
})
