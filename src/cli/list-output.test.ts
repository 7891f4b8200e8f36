import assert from 'node:assert/strict'
import { PassThrough, Readable } from 'node:stream'
import { test } from 'node:test'
import type { SourcePage } from '../client/page-source.ts'
import { walk } from '../client/walk.ts'
import type { Call } from './command.ts'
import type { Io } from './io.ts'
import { lineInput } from './line-input.ts'
import { type Listing, pageLimit, showList } from './list-output.ts'

const listing: Listing<string> = {
  noun: 'letters',
  headings: ['LETTER'],
  row: (letter) => [letter],
  none: 'No letters.\n',
}

interface Shown {
  readonly out: string
  readonly err: string
  /** How many pages were asked for. */
  readonly pages: number
}

/** One page for each text, one item for each of its letters. */
async function show(
  texts: readonly string[],
  world: Partial<Io> = {},
  values: Call['values'] = {},
): Promise<Shown> {
  const seen = { out: '', err: '', pages: 0 }
  const io = { ...quietIo(seen), ...world }
  const letters = walk<string>(async (position): Promise<SourcePage<string>> => {
    seen.pages += 1
    const index = Number(position ?? '0')
    return {
      items: (texts[index] ?? '').split(''),
      next: index + 1 < texts.length ? String(index + 1) : null,
    }
  })
  await showList({ io, commands: [], words: [], values }, letters, listing)
  return seen
}

function quietIo(seen: { out: string; err: string }): Io {
  return {
    out: (text) => {
      seen.out += text
    },
    err: (text) => {
      seen.err += text
    },
    readInput: async () => '',
    askHidden: undefined,
    openLines: () => lineInput({ input: Readable.from([]), output: new PassThrough(), isTerminal: false }),
    readKey: undefined,
    openPage: async () => false,
    screen: () => undefined,
    isAttended: false,
    env: {},
    cwd: '/',
    hasColor: false,
    elapsed: () => 0,
    onSignal: () => {},
    holdSignals: () => () => {},
    onOrphaned: () => {},
    onCrash: () => {},
    onRejection: () => {},
    exit: () => {},
  }
}

/** Somebody at a terminal, who presses these keys. */
function person(...keys: readonly string[]): Partial<Io> {
  const left = [...keys]
  return {
    screen: () => ({ columns: 80, rows: 24 }),
    isAttended: true,
    readKey: async () => left.shift() ?? assert.fail('no key is left'),
  }
}

const question = 'More letters: space for the next page, a for all, q to stop \r\u001b[K'

test('a key brings the next page, until the end or until q', async () => {
  const { out, err, pages } = await show(['ab', 'c', 'd', 'e'], person(' ', '\r', 'q'))
  assert.equal(out, 'LETTER\na\nb\nc\nd\n')
  assert.equal(err, question.repeat(3))
  assert.equal(pages, 3)
})

for (const [name, key] of Object.entries({
  'Ctrl-C': '\u0003',
  'Ctrl-D': '\u0004',
  Escape: '\u001b',
  Q: 'Q',
}))
  test(`${name} stops as well`, async () => {
    assert.equal((await show(['a', 'b'], person(key))).out, 'LETTER\na\n')
  })

test('a brings all the rest without another question, and shows how far it has come', async () => {
  const { out, err } = await show(['a', 'bc', 'd'], person('a'))
  assert.equal(out, 'LETTER\na\nb\nc\nd\n')
  const line = '\r\u001b[K'
  assert.equal(err, `${question}${line}1 letters so far${line}${line}3 letters so far${line}`)
})

test('a list of one page asks nothing', async () => {
  assert.deepEqual(await show(['ab'], person()), { out: 'LETTER\na\nb\n', err: '', pages: 1 })
})

test('an empty page that is not the last is passed over without a question', async () => {
  assert.equal((await show(['', '', 'a'], person())).out, 'LETTER\na\n')
})

test('an empty list says so to people, and nothing to machines', async () => {
  assert.equal((await show([''])).out, 'No letters.\n')
  assert.equal((await show([''], {}, { json: true })).out, '')
})

for (const [name, world, values] of [
  ['standard input is no terminal', { ...person(), readKey: undefined }, {}],
  ['standard output is no terminal', { ...person(), screen: () => undefined }, {}],
  ['standard error is no terminal', { ...person(), isAttended: false }, {}],
  ['JSON is printed', person(), { json: true }],
] as const)
  test(`where ${name}, no key is waited for: there is one page, and a word on how to get the rest`, async () => {
    const { err, pages } = await show(['a', 'b'], world, values)
    assert.equal(err, 'There are more letters: list them with --all.\n')
    assert.equal(pages, 1)
  })

test('--all --json is one JSON text on each line, and nothing else anywhere', async () => {
  const shown = await show(['ab', 'c'], {}, { all: true, json: true })
  assert.deepEqual([shown.out, shown.err], ['"a"\n"b"\n"c"\n', ''])
})

test('the progress is cleared when a page cannot be had', async () => {
  const seen = { out: '', err: '' }
  const io = { ...quietIo(seen), isAttended: true }
  const broken = walk<string>(async (position) => {
    if (position !== null) throw new Error('the line is cut')
    return { items: ['a'], next: '1', total: 4 }
  })
  const call = { io, commands: [], words: [], values: { all: true } }
  await assert.rejects(showList(call, broken, listing), /the line is cut/)
  assert.equal(seen.err, `\r\u001b[K[${'#'.repeat(10)}${'-'.repeat(30)}] 1 of 4 letters\r\u001b[K`)
})

test('a page fills the screen, 20 where there is none, and 100 with --all', () => {
  const limit = (rows: number | undefined, values: Call['values'] = {}): number => {
    const screen = (): { columns: number; rows: number } | undefined =>
      rows === undefined ? undefined : { columns: 80, rows }
    return pageLimit({ io: { ...quietIo({ out: '', err: '' }), screen }, commands: [], words: [], values })
  }
  assert.deepEqual([limit(50), limit(3), limit(500), limit(undefined)], [48, 5, 100, 20])
  assert.deepEqual([limit(50, { all: true }), limit(50, { all: true, limit: '7' })], [100, 7])
})
