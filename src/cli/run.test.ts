import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { after, before, test } from 'node:test'
import { commands } from './commands.ts'
import type { Io } from './io.ts'
import { lineInput } from './line-input.ts'
import { run } from './run.ts'

let folder = ''
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postern-cli-'))
})
after(() => rm(folder, { recursive: true }))

interface Outcome {
  readonly code: number
  readonly out: string
  readonly err: string
}

async function postern(args: readonly string[], world: Partial<Io> = {}): Promise<Outcome> {
  const outcome = { out: '', err: '' }
  const io: Io = {
    out: (text) => {
      outcome.out += text
    },
    err: (text) => {
      outcome.err += text
    },
    readInput: async () => '',
    askHidden: undefined,
    openLines: () => lineInput({ input: Readable.from([]), output: new PassThrough(), isTerminal: false }),
    readKey: undefined,
    openPage: async () => false,
    screen: () => undefined,
    isAttended: false,
    env: {},
    cwd: folder,
    hasColor: false,
    elapsed: () => 0,
    onSignal: () => {},
    holdSignals: () => () => {},
    onOrphaned: () => {},
    onCrash: () => {},
    onRejection: () => {},
    exit: () => {},
    ...world,
  }
  return { code: await run(args, io), ...outcome }
}

for (const { name, summary, example } of commands) {
  test(`postern ${name} --help shows its use and an example`, async () => {
    const { code, out } = await postern([...name.split(' '), '--help'])
    assert.equal(code, 0)
    assert.ok(
      out.includes(summary) && out.includes(`Usage: postern ${name}`) && out.includes(`Example: ${example}`),
      out,
    )
  })

  test(`the example of postern ${name} calls that command with options it has`, async () => {
    const { code } = await postern([...example.split(' ').slice(1), '--help'])
    assert.equal(code, 0)
  })
}

for (const args of [['help'], ['--help'], ['-h']])
  test(`postern ${args.join(' ')} lists every command`, async () => {
    const { code, out } = await postern(args)
    assert.equal(code, 0)
    for (const { name, summary } of commands) assert.ok(out.includes(name) && out.includes(summary))
  })

test('help of the first words of commands lists those that begin with them', async () => {
  const { code, out } = await postern(['help', 'authority', 'users'])
  assert.equal(code, 0)
  assert.match(out, /authority users add .*authority users list /s)
  assert.doesNotMatch(out, /serve/)
})

test('postern alone is a misuse that shows the commands', async () => {
  const { code, out, err } = await postern([])
  assert.deepEqual([code, out], [2, ''])
  assert.match(err, /serve/)
})

const misuses = [
  [['srve'], /"postern serve"/],
  [['confg', 'check'], /"postern config check"/],
  [['config'], /"postern config check"/],
  [['config', 'chek'], /"postern config check"/],
  [['keys'], /"keys" is no whole command; there is "postern keys create"/],
  [['authority', 'users'], /"authority users" is no whole command; there is "postern authority users add", /],
  [
    ['authority', 'usrs', 'list'],
    /no command "authority usrs list"; the nearest is "postern authority users list"/,
  ],
  [['authority', 'keys', 'rotat', '--json'], /the nearest is "postern authority keys rotate"/],
  [['authority', '--hots', 'x'], /did you mean --host\?/],
  [['service-accounts'], /"postern service-accounts create", "postern service-accounts list", /],
  [['constructor'], /no command "constructor"/],
  [['__proto__'], /no command "__proto__"/],
  [['help', 'srve'], /no command "srve"/],
  [['serve', '--prt', '1'], /Unknown option '--prt' \(did you mean --port\?\)/],
  [['serve', '--port', 'http'], /--port must be a number/],
  [['serve', '--port', '70000'], /--port must be a number/],
  [['serve', '--port'], /'--port <value>' argument missing/],
  [['serve', '--host', ''], /--host must be a host name or an IP address.*, not ""/],
  [['serve', '--host', 'bad host!'], /--host must be a host name/],
  [['serve', '--host', '[::1]'], /--host must be .* without .*brackets/],
  [['serve', '--config', ''], /--config must name a file/],
  [['config', 'check', '--config', ''], /--config must name a file/],
  [['serve', 'now'], /Unexpected argument 'now'/],
  [['config', 'check', '--json=yes'], /'--json' does not take an argument/],
] as const

for (const [args, message] of misuses)
  test(`postern ${args.join(' ')} is a misuse and says what was meant`, async () => {
    const { code, out, err } = await postern(args)
    assert.equal(code, 2)
    assert.equal(out, '')
    assert.match(err, message)
    assert.doesNotMatch(err, /\n\s+at /)
  })

test('version prints both versions, for people and for machines', async () => {
  for (const args of [['version'], ['--version'], ['-v']])
    assert.match((await postern(args)).out, /^postern \d+\.\d+\.\d+ \(Node \d+\.\d+\.\d+\)\n$/)
  const versions = JSON.parse((await postern(['version', '--json'])).out)
  assert.deepEqual(Object.keys(versions), ['postern', 'node'])
})

test('config check prints the effective configuration with secrets masked', async () => {
  await writeFile(
    join(folder, 'good.yaml'),
    `store: postgres://me:pass-word@db/x\npaging: { keys: ["\${KEY}"] }\n`,
  )
  const env = { KEY: 'yQ3vT8mZr1Lw6Xb9Kd2Hs7Nf4Gj5Pc0A' }
  const { code, out } = await postern(['config', 'check', '--config', 'good.yaml'], { env })
  assert.equal(code, 0)
  assert.match(out, /^server:\n {2}host: 127\.0\.0\.1\n/)
  assert.doesNotMatch(out, /pass-word|yQ3vT8/)
})

test('config check takes postern.yaml from the working folder, or the defaults where there is none', async () => {
  const cwd = await mkdtemp(join(folder, 'w-'))
  const read = async (): Promise<number> =>
    JSON.parse((await postern(['config', 'check', '--json'], { cwd })).out).config.server.port
  assert.equal(await read(), 8080)
  await writeFile(join(cwd, 'postern.yaml'), 'server: { port: 9001 }\n')
  assert.equal(await read(), 9001)
})

test('config check lists every error with its place and fails', async () => {
  await writeFile(join(folder, 'bad.yaml'), 'server:\n  prt: 1\n  host: 7\n')
  const { code, out, err } = await postern(['config', 'check', '--config', 'bad.yaml'])
  assert.deepEqual([code, out], [1, ''])
  assert.match(err, /^bad\.yaml:2:3: .*"port"/m)
  assert.match(err, /^bad\.yaml:3:9: /m)
})

test('config check --json lists the errors for machines', async () => {
  await writeFile(join(folder, 'bad.yaml'), 'server:\n  prt: 1\n  host: 7\n')
  const { code, out } = await postern(['config', 'check', '--config', 'bad.yaml', '--json'])
  const answer = JSON.parse(out)
  assert.equal(code, 1)
  assert.equal(answer.ok, false)
  assert.deepEqual(
    answer.errors.map((line: string) => line.split(': ')[0]),
    ['bad.yaml:2:3', 'bad.yaml:3:9'],
  )
})

for (const file of ['missing.yaml', '.'])
  test(`a configuration file that cannot be read (${file}) is named`, async () => {
    const { code, err } = await postern(['config', 'check', '--config', file])
    assert.equal(code, 1)
    assert.ok(err.startsWith(`postern: ${file}: `), err)
  })

test('a stack trace is shown with --debug only', async () => {
  const args = ['config', 'check', '--config', 'missing.yaml']
  assert.doesNotMatch((await postern(args)).err, /\n\s+at /)
  assert.match((await postern([...args, '--debug'])).err, /\n\s+at .*\n.*caused by: Error: ENOENT/s)
})

test('an error nobody foresaw fails with a hint, without a stack trace', async () => {
  const out = (): never => {
    throw new TypeError('the terminal is gone')
  }
  const { code, err } = await postern(['version'], { out })
  assert.equal(code, 1)
  assert.match(err, /unexpected error: the terminal is gone\n.*--debug/)
  assert.doesNotMatch(err, /\n\s+at /)
})

test('colour is used only where the terminal shows it', async () => {
  assert.ok((await postern(['help'], { hasColor: true })).out.includes('\u001b[1m'))
  assert.ok(!(await postern(['help'])).out.includes('\u001b['))
})
