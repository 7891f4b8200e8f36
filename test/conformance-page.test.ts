import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { faultsOf, rowsOf } from './conformance-rows.ts'
import { titlesOf } from './test-titles.ts'

const root = new URL('..', import.meta.url)
const page = readFileSync(new URL('docs/conformance.md', root), 'utf8')

/** How many rules each part of the specification has. */
const rules = {
  'A-1.': 6,
  'B-1.': 2,
  'C-1.': 1,
  'A-2.1.': 4,
  'B-2.2.': 3,
  'C-2.3.': 9,
  'A-4.1.': 3,
  'A-4.2.': 2,
  'B-4.3.': 4,
  'C-4.4.E': 4,
  'C-4.4.': 11,
  'C-4.4.P': 3,
  'C-4.4.T': 2,
  'A-5.1.': 8,
  'B-5.2.M': 3,
  'B-5.2.K': 3,
  'B-5.2.O': 4,
  'B-5.2.S': 3,
} as const
const severalParts = ['A-7.1', 'A-7.2', 'C-7.3', 'C-8.1', 'C-8.2', 'B-9.1', 'A-9.2', 'C-9.3']

test('docs/conformance.md cites tests that exist, and marks every other row open', () => {
  const faults = faultsOf(page, readSource)
  assert.equal(faults.length, 0, `\n${faults.join('\n')}\n`)
})

test('docs/conformance.md has a row for every rule of the specification', () => {
  const numbered = Object.entries(rules).flatMap(([prefix, count]) =>
    Array.from({ length: count }, (_, index) => `${prefix}${index + 1}`),
  )
  const ids = rowsOf(page).map(({ id }) => id)
  assert.deepEqual(ids.toSorted(), [...numbered, ...severalParts].toSorted())
})

const planted = `import { test } from 'node:test'
// test('a title in a comment', () => {})
const text = "test('a title in a text', () => {})"
test('a plain title', () => {})
test('it\\'s \\u201cquoted\\u201d | so', () => {})
for (const name of names)
  test(\`\${name}: walks \${names.map((one) => \`<\${one}>\`).join()} of \${count}\`, async (t) => {
    await t.test("a part of it", () => {})
    assert.ok(/x/.test('a text that is matched'))
  })
test.skip('a skipped title', () => {})
test('a title to be skipped', { skip: 'today' }, () => {})
test(title, () => {})
test('one' + 'two', () => {})
test(
  \`a long title\`,
  () => {},
)
`

test('titles are read from calls of test, and computed parts become dots', () => {
  assert.deepEqual(
    [...titlesOf(planted)],
    ['a plain title', "it's “quoted” | so", '…: walks … of …', 'a part of it', 'a long title'],
  )
})

const good = [
  'open',
  '`test/planted.test.ts` › a plain title',
  "`test/planted.test.ts` › it's “quoted” \\| so",
  '`test/planted.test.ts` › …: walks … of …<br>`test/planted.test.ts` › a part of it',
  'library; endpoint open<br>`test/planted.test.ts` › a long title',
]

for (const proof of good)
  test(`a row that says ${JSON.stringify(proof)} is accepted`, () => {
    assert.deepEqual(faultsOf(pageWith(`| C-1.1 | pages | ${proof} |`), readPlanted), [])
  })

const bad: readonly (readonly [why: string, rows: string, fault: RegExp])[] = [
  ['cites a file that is not there', row('`test/gone.test.ts` › a plain title'), /does not exist/],
  ['cites a title that no test has', row('`test/planted.test.ts` › a plain titel'), /does not have/],
  ['cites the beginning of a title', row('`test/planted.test.ts` › a plain'), /does not have/],
  ['cites a title out of a comment', row('`test/planted.test.ts` › a title in a comment'), /does not have/],
  ['cites a title out of a text', row('`test/planted.test.ts` › a title in a text'), /does not have/],
  ['cites a test to be skipped', row('`test/planted.test.ts` › a title to be skipped'), /does not have/],
  ['cites a skipped test', row('`test/planted.test.ts` › a skipped title'), /does not have/],
  ['cites one good and one bad test', row(`${good[1]}<br>\`test/gone.test.ts\` › a plain title`), /gone/],
  ['cites nothing but computed parts', row('`test/planted.test.ts` › …: …'), /without words/],
  ['cites a file without a title', row('`test/planted.test.ts`'), /neither "open" nor a test/],
  ['cites a file that is no test', row('`test/planted.ts` › a plain title'), /neither "open" nor a test/],
  ['cites a file outside', row('`../planted.test.ts` › a plain title'), /neither "open" nor a test/],
  ['is empty', row(''), /neither "open" nor a test/],
  ['only says that it is a library', row('library; endpoint open'), /names no test/],
  ['says something else', row('soon'), /neither "open" nor a test/],
  ['denies that there is a demand', row('no demand: "not shown"'), /neither "open" nor a test/],
  ['is not filled in', row('TBD-PAGING'), /still to be filled in/],
  ['is half filled in', row(`${good[1]}<br>TBD`), /still to be filled in/],
  ['has the id of another', `${row('open')}\n${row('open')}`, /id of an earlier row/],
  ['has no id', '| | pages | open |', /no id of a rule/],
  ['has no demand', '| C-1.1 | | open |', /what is demanded/],
  ['has a cell too few', '| C-1.1 | open |', /needs an id/],
  ['has a cell too many', '| C-1.1 | pages | open | or not |', /needs an id/],
]

for (const [why, rows, fault] of bad)
  test(`a row that ${why} is a fault, and one only`, () => {
    const faults = faultsOf(pageWith(rows), readPlanted)
    assert.equal(faults.length, 1, faults.join('\n'))
    assert.match(faults[0] ?? '', fault)
  })

test('a fault names the line and the row', () => {
  assert.match(faultsOf(pageWith(row('soon')), readPlanted)[0] ?? '', /^line 7: C-1\.1 /)
})

function row(proof: string): string {
  return `| C-1.1 | pages | ${proof} |`
}

function pageWith(rows: string): string {
  return `# Conformance\n\nWords.\n\n| id | the specification says | proved by |\n| --- | --- | --- |\n${rows}\n`
}

function readPlanted(path: string): string | undefined {
  return path === 'test/planted.test.ts' ? planted : undefined
}

function readSource(path: string): string | undefined {
  try {
    return readFileSync(new URL(path, root), 'utf8')
  } catch {
    return undefined
  }
}
