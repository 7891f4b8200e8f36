import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createWaitingEngine } from '../model-api/waiting-engine.ts'
import { input } from './call-postern.ts'
import { startModelPlace } from './model-place.ts'

const place = await startModelPlace({ waiting: createWaitingEngine({ pieces: 2 }) })
after(() => place[Symbol.asyncDispose]())
const { words } = place
const generate = ['generate', '--model', 'words']

test('models lists all of them with their limits and what they can do', async () => {
  const { code, out } = await place.call(['models'])
  assert.equal(code, 0)
  assert.match(
    out,
    /^MODEL +READS +WRITES +CAN\nwaiting +100 +100 +generateContent .*\nwords +100,000 +100,000 /,
  )
  const { models } = Object(await place.json(['models']))
  assert.deepEqual(
    models.map(({ name }: Record<string, unknown>) => name),
    ['models/waiting', 'models/words'],
  )
})

test('generate prints the answer to a prompt of words, or of standard input', async () => {
  assert.deepEqual(await place.call([...generate, 'one two']), { code: 0, out: 'one two\n', err: '' })
  assert.equal((await place.call([...generate, '-'], input('three\nfour\n'))).out, 'three four\n')
  assert.equal((await place.call(generate, input('five'))).out, 'five\n')
  assert.equal((await place.call([...generate, '--no-stream', 'six'])).out, 'six\n')
})

test('the options reach the model', async () => {
  const options = ['--max-tokens', '9', '--temperature', '0.5', '--seed=-3', '--system', 'be brief']
  assert.equal((await place.call([...generate, ...options, 'one'])).out, 'be brief one\n')
  const { generationConfig } = words.seen.at(-1) ?? {}
  assert.deepEqual({ ...generationConfig }, { maxOutputTokens: 9, temperature: 0.5, seed: -3 })
})

test('with --json the answer is one object, and with --stream each piece is a line', async () => {
  const whole = Object(await place.json([...generate, 'one']))
  assert.deepEqual([whole.text, whole.candidates[0].finishReason], ['one', 'STOP'])
  const { out } = await place.call([...generate, '--json', '--stream', 'one'])
  const pieces = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.deepEqual([pieces.length > 1, pieces.map(({ text }) => text).join('')], [true, 'one'])
})

test('a terminal is not moved or coloured by what a model writes; a pipe gets every character', async () => {
  const prompt = input('red \u001b[31m text')
  const screen = (): { columns: number; rows: number } => ({ columns: 80, rows: 24 })
  assert.equal((await place.call(generate, { ...prompt, screen })).out, 'red \u{fffd}[31m text\n')
  assert.equal((await place.call(generate, prompt)).out, 'red \u001b[31m text\n')
})

for (const [what, args, says, code] of [
  ['no model', ['generate', 'x'], /name the model with --model MODEL; "postern models" lists them/, 2],
  ['no prompt', generate, /give a prompt/, 2],
  ['two ways at once', [...generate, '--stream', '--no-stream', 'x'], /not both/, 2],
  ['a bad number', [...generate, '--max-tokens', '0', 'x'], /--max-tokens must be a whole number from 1/, 2],
  [
    'a bad temperature',
    [...generate, '--temperature', 'hot', 'x'],
    /--temperature must be a number from 0 to 2/,
    2,
  ],
  ['an unknown model', ['generate', '--model', 'nope', 'x'], /answered 404/, 1],
] as const)
  test(`${what} is refused in words, without a stack trace`, async () => {
    const refused = await place.call(args)
    assert.deepEqual([refused.code, refused.out], [code, ''])
    assert.match(refused.err, says)
    assert.doesNotMatch(refused.err, /\n\s+at /)
  })

test('a key in the environment goes to a server that somebody named, and to no other', async () => {
  const { GEMINI_API_KEY } = place.env
  for (const args of [['models'], ['generate', '--model', 'tiny', 'Once']]) {
    const { code, err } = await place.call(args, { env: { GEMINI_API_KEY } })
    assert.equal(code, 2)
    assert.match(err, /nobody said which server it is for: name it with --url or POSTERN_URL/)
  }
})

test('credentials of Google in the environment go to a server that somebody named, and to no other', async () => {
  const file = join(place.folder, 'account.json')
  const login = { type: 'authorized_user', client_id: 'a', client_secret: 'b', refresh_token: 'c' }
  await writeFile(file, JSON.stringify(login))
  const tokens = { POSTERN_TOKEN_FILE: join(place.folder, 'none.json') }
  for (const env of [
    { GOOGLE_APPLICATION_CREDENTIALS: file },
    { GOOGLE_GENAI_USE_VERTEXAI: 'true', GOOGLE_CLOUD_PROJECT: 'demo' },
  ]) {
    const { code, err } = await place.call(['models'], { env: { ...tokens, ...env } })
    assert.equal(code, 2)
    assert.match(err, /GOOGLE_.*nobody said which server it is for: name it with --url or POSTERN_URL/)
  }
  // The library reads the environment of the process.
  process.env.GOOGLE_APPLICATION_CREDENTIALS = file
  const { POSTERN_URL } = place.env
  const env = { ...tokens, POSTERN_URL, GOOGLE_APPLICATION_CREDENTIALS: file }
  const { code, err } = await place.call(['models'], { env })
  delete process.env.GOOGLE_APPLICATION_CREDENTIALS
  assert.equal(code, 1)
  assert.match(err, /their token is not sent to 127\.0\.0\.1/)
})

test('the server is that of --url, then POSTERN_URL, then GOOGLE_GEMINI_BASE_URL', async () => {
  const { GEMINI_API_KEY, POSTERN_URL = '' } = place.env
  const nowhere = 'http://127.0.0.1:1'
  for (const [args, env, isFound] of [
    [['--url', POSTERN_URL], { POSTERN_URL: nowhere }, true],
    [[], { POSTERN_URL, GOOGLE_GEMINI_BASE_URL: nowhere }, true],
    [[], { GOOGLE_GEMINI_BASE_URL: POSTERN_URL }, true],
    [['--url', nowhere], { POSTERN_URL }, false],
  ] as const) {
    const { code, err } = await place.call(['models', ...args], { env: { GEMINI_API_KEY, ...env } })
    assert.equal(code, isFound ? 0 : 1, err)
  }
})
