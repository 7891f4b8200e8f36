import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { emptyPlace, init, written } from './init-place.ts'

test('the gateway starts in a shell that did what the next steps say', async (t) => {
  await using place = await emptyPlace()
  const { out } = await place.call([...init, '--config', './own place.yaml'])
  const steps = [...out.matchAll(/^ {2}(.*)$/gm)].map(([, line = '']) => line)
  const [load = '', check = ''] = steps
  const serve = steps.at(-1) ?? ''
  assert.deepEqual(
    [load, serve],
    ["set -a; . './own place.env'; set +a", "postern serve --config './own place.yaml'"],
  )
  const script = [
    'postern() { "$NODE" "$PROGRAM" "$@"; }',
    load,
    check,
    // A signal must reach the program, and its port may be taken.
    `exec "$NODE" "$PROGRAM"${serve.replace(/^postern/, '')} --port 0`,
  ].join('\n')
  const program = fileURLToPath(new URL('../../bin/postern.js', import.meta.url))
  const child = spawn('sh', ['-ec', script], {
    cwd: place.folder,
    env: { PATH: process.env.PATH, NODE: process.execPath, PROGRAM: program },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.after(() => child.kill('SIGKILL'))
  let said = ''
  let isReady = false
  const hear = (text: string): void => {
    said += text
    isReady = /"msg":"ready"/.test(said)
    if (isReady) child.kill('SIGTERM')
  }
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', hear)
  await once(child, 'close')
  assert.ok(isReady, said)
})

test('under npx the next steps are for npx', async () => {
  await using place = await emptyPlace()
  const env = { npm_command: 'exec', npm_lifecycle_event: 'npx' }
  const { out } = await place.call(init, { env })
  assert.match(out, /^ {2}npx postern config check$/m)
  assert.match(out, /^ {2}npx postern serve$/m)
})

for (const [options, step] of [
  [['--tools', 'module'], 'create ./tools/first.ts (docs/write-a-tool.md)'],
  [
    ['--tools', 'openapi', '--tools-url', 'https://shop.example'],
    'create ./openapi.yaml (docs/tool-sources.md)',
  ],
  [['--engine', 'llama'], 'create ./models/model.gguf (docs/configuration.md, "engine: llama")'],
] as const)
  test(`with ${options.join(' ')} the first step is to make the file, unless it is there`, async () => {
    await using place = await emptyPlace()
    const first = await place.call([...init, ...options])
    assert.match(first.out, /Next:\n\n {2}create /)
    assert.ok(first.out.includes(`Next:\n\n  ${step}\n  set -a`), first.out)
    const [, file = ''] = /^create (\S+)/.exec(step) ?? []
    await mkdir(dirname(join(place.folder, file)), { recursive: true })
    await writeFile(join(place.folder, file), '')
    assert.match((await place.call([...init, '--force', ...options])).out, /Next:\n\n {2}set -a/)
  })

for (const [value, isSet] of [
  ['""', false],
  ["''", false],
  ['"" # to be made', false],
  ['', false],
  ['"x"', true],
  ['""x', true],
] as const)
  test(`a secret that is there as ${value === '' ? 'nothing' : value} is ${isSet ? 'set' : 'made'}`, async () => {
    await using place = await emptyPlace()
    const before = `POSTERN_PAGING_KEY=${value}\n`
    await writeFile(join(place.folder, '.env'), before, { mode: 0o600 })
    await place.call(init)
    const added = (await written(place, '.env')).slice(before.length)
    assert.equal(/^POSTERN_PAGING_KEY=[\w+/]{43}=$/m.test(added), !isSet, added)
    assert.match(added, /^POSTERN_AUTHORITY_SECRET=/m)
  })

test('secrets that are in use stay, and what is missing is added where nobody else can read it', async () => {
  await using place = await emptyPlace()
  const env = join(place.folder, '.env')
  await writeFile(env, 'MINE=1\nexport POSTERN_AUTHORITY_SECRET="of before"')
  await chmod(env, 0o644)
  const open = await place.call(init)
  assert.equal(open.code, 1)
  assert.match(open.err, /\.env is there already and can be read by others.*"chmod 600 \.env" first/)
  assert.deepEqual(await readdir(place.folder), ['.env'])
  await chmod(env, 0o600)
  const { out } = await place.call(init)
  assert.match(
    out,
    /^Wrote postern\.yaml, .* To \.env, which was there before, it added POSTERN_PAGING_KEY\. Next/,
  )
  const content = await written(place, '.env')
  assert.match(
    content,
    /^MINE=1\nexport POSTERN_AUTHORITY_SECRET="of before"\nPOSTERN_PAGING_KEY=[\w+/]{43}=\n$/,
  )
  const again = await place.call([...init, '--force'])
  assert.match(again.out, /Its secrets are those that \.env held before\./)
  assert.equal(await written(place, '.env'), content)
})
