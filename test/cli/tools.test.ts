import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { input } from './call-postern.ts'
import { startSigningHouse, type Visitor } from './signing-house.ts'

const signing = await startSigningHouse()
const ada = await signing.visit()
after(async () => {
  await ada[Symbol.asyncDispose]()
  await signing[Symbol.asyncDispose]()
})
await ada.json(['login', '--scope', 'notes:read'])

test('tools lists every tool of every page, with the arguments that each takes', async () => {
  const { code, out } = await ada.call(['tools'])
  assert.equal(code, 0)
  assert.match(out, /^TOOL +TAKES +WHAT IT DOES\nadd_note +text +Adds a note\.\nbreak +Fails\.\n/)
  assert.match(out, /\nmirror +count\? ratio\? isLoud\? tags\? numbers\? place\? text\? +Answers with/)
  const { server, tools } = Object(await ada.json(['tools']))
  assert.deepEqual(
    tools.map(({ name }: Record<string, unknown>) => name),
    ['add_note', 'break', 'mirror', 'read_notes', 'refuse', 'steps'],
  )
  assert.equal(server.name, 'postern')
  assert.equal(tools[0].inputSchema.required[0], 'text')
})

test('on a terminal a long description ends with the line', async () => {
  const { out } = await ada.call(['tools'], { screen: () => ({ columns: 100, rows: 20 }) })
  const line = out.split('\n').find((text) => text.startsWith('refuse')) ?? ''
  assert.match(line, /^refuse +Refuses to work, .*…$/)
  assert.ok(line.length <= 100)
})

test('arguments are read as the schema of the tool has them', async () => {
  const file = join(dirname(ada.tokenFile), 'hello.txt')
  await writeFile(file, 'hello\nfile\n')
  const rows: readonly (readonly [readonly string[], unknown])[] = [
    [['count=3', 'ratio=0.5', 'isLoud=true'], { count: 3, ratio: 0.5, isLoud: true }],
    [['tags=a', 'tags=b=c'], { tags: ['a', 'b=c'] }],
    [['tags=7'], { tags: ['7'] }],
    [['numbers=1', 'numbers=2.5'], { numbers: [1, 2.5] }],
    [['numbers=[1, 2]', 'place={"town": "Ulm"}'], { numbers: [1, 2], place: { town: 'Ulm' } }],
    [['text=@hello.txt'], { text: 'hello\nfile\n' }],
    [['text=@@home'], { text: '@home' }],
    [['text='], { text: '' }],
    [['text=123'], { text: '123' }],
  ]
  for (const [args, expected] of rows)
    assert.deepEqual(
      await mirrored(
        ada,
        args.flatMap((arg) => ['--arg', arg]),
      ),
      expected,
    )
})

test('arguments come from a file, from standard input and as JSON, and what stands alone goes first', async () => {
  const args = ['--args', '-', '--json-arg', 'count=2', '--arg', 'text=mine']
  const given = input('{"text": "theirs", "count": 1, "ratio": 4}')
  assert.deepEqual(await mirrored(ada, args, given), { text: 'mine', count: 2, ratio: 4 })
  await writeFile(join(dirname(ada.tokenFile), 'args.json'), '{"tags": ["x"]}')
  assert.deepEqual(await mirrored(ada, ['--args', 'args.json']), { tags: ['x'] })
  assert.deepEqual(await mirrored(ada, ['--arg', 'text=@-'], input('from a pipe')), { text: 'from a pipe' })
})

for (const [what, args, says] of [
  ['no tool', [], /name exactly one tool; "postern tools" lists them/],
  ['an argument without =', ['mirror', '--arg', 'count'], /--arg must be NAME=VALUE/],
  [
    'a fraction for a whole number',
    ['mirror', '--arg', 'count=1.5'],
    /--arg count must be a whole number, not "1\.5"/,
  ],
  ['a word for a truth', ['mirror', '--arg', 'isLoud=maybe'], /--arg isLoud must be true or false/],
  ['a word in a list of numbers', ['mirror', '--arg', 'numbers=x'], /--arg numbers must be a number/],
  ['no JSON for an object', ['mirror', '--arg', 'place=Ulm'], /--arg place must be a JSON object/],
  [
    'one argument twice',
    ['mirror', '--arg', 'text=a', '--arg', 'text=b'],
    /given 2 times, but the tool takes one/,
  ],
  [
    'JSON that is none',
    ['mirror', '--json-arg', 'text=hello'],
    /--json-arg text is not JSON; a text needs quotes/,
  ],
  ['a file that is not there', ['mirror', '--args', 'nowhere.json'], /nowhere\.json cannot be read/],
  [
    'an unknown argument',
    ['mirror', '--arg', 'tag=a'],
    /takes no argument "tag"; did you mean tags\? It takes: count,/,
  ],
  [
    'an argument like none of the tool',
    ['mirror', '--arg', 'xyzzy=a'],
    /takes no argument "xyzzy"\. It takes: count,/,
  ],
  ['a missing argument', ['add_note'], /add_note needs text: add --arg text=…/],
] as const)
  test(`${what} is a misuse that says what would be right`, async () => {
    const { code, out, err } = await ada.call(['call', ...args])
    assert.deepEqual([code, out], [2, ''])
    assert.match(err, says)
  })

test('structured output is printed as JSON, and progress is shown to whoever looks', async () => {
  const { code, out, err } = await ada.call(['call', 'steps'], { isAttended: true })
  assert.deepEqual([code, JSON.parse(out)], [0, { done: 2 }])
  assert.equal(err, '[##########          ] 50% half way\r\u001b[K')
  const quiet = await ada.call(['call', 'steps'])
  assert.equal(quiet.err, '')
  const { structuredContent, content, isError } = Object(await ada.json(['call', 'steps']))
  assert.deepEqual([structuredContent, isError, content.length], [{ done: 2 }, false, 1])
})

test('a tool that says it failed is exit code 1, with its words', async () => {
  const { code, out, err } = await ada.call(['call', 'break'])
  assert.deepEqual([code, out], [1, ''])
  assert.match(err, /^The tool failed\. It says:\n/)
  assert.doesNotMatch(err, /secret detail/)
  const whole = await ada.call(['call', 'break', '--json'])
  assert.deepEqual([whole.code, JSON.parse(whole.out).isError], [1, true])
})

test('a tool that is not there is refused with the nearest name', async () => {
  const { code, err } = await ada.call(['call', 'mirorr'])
  assert.equal(code, 1)
  assert.match(
    err,
    /there is no tool "mirorr"; did you mean mirror\? "postern tools" lists what there is\.\n$/,
  )
})

test('a call that needs more than was allowed says so, and nobody is asked where nobody looks', async () => {
  const pages = ada.pages.length
  const { code, out, err } = await ada.call(['call', 'add_note', '--arg', 'text=x'])
  assert.deepEqual([code, out, ada.pages.length], [1, '', pages])
  assert.match(err, /could not call add_note: .*\nAllow it with: postern login --scope notes:write\n$/)
})

test('at a terminal the person is asked in words, allows it in the browser, and the call goes on', async () => {
  const { code, out, err } = await ada.call(['call', 'add_note', '--arg', 'text=hi'], { isAttended: true })
  assert.equal(code, 0, err)
  assert.match(out, /^[0-9a-f-]{36} noted: hi\n$/)
  assert.match(
    err,
    /^This needs more than you have allowed so far: notes:write\. Allow it at http\S+ to go on\.\n/,
  )
  assert.equal((await ada.call(['call', 'add_note', '--arg', 'text=again'])).code, 0)
})

test('whoever has not signed in is sent to do so, and the call goes on', async () => {
  await using other = await signing.visit({ isAttended: true })
  const { code, out, err } = await other.call(['call', 'read_notes'])
  assert.equal(code, 0, err)
  assert.match(out, /^the notes of /)
  assert.match(err, /^Sign in at /)
})

async function mirrored(who: Visitor, args: readonly string[], world = {}): Promise<unknown> {
  const { code, out, err } = await who.call(['call', 'mirror', ...args], world)
  assert.equal(code, 0, err)
  return JSON.parse(out)
}
