import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tokensOf, UnreadableSource } from './tokens.ts'

for (const [claim, source, expected] of [
  ['comments are left out', "a // import 'x'\n/* import 'y' */ b", ['a', 'b']],
  ['a string keeps its quotes and comments to itself', `'a"//b' "c'/*d"`, ['a"//b', "c'/*d"]],
  ['an escaped quote does not end a string', String.raw`'it\'s' b`, [String.raw`it\'s`, 'b']],
  ['an escaped line end continues a string', "'a\\\nb' c", ['a\\\nb', 'c']],
  [
    'a template hides its text and shows its substitutions',
    '`a\x24{b + `c\x24{d}e`}f` g',
    ['a', 'b', '+', 'c', 'd', 'e', 'f', 'g'],
  ],
  [
    'braces inside a substitution do not end it',
    '`\x24{{ a: { b: 1 } }.a}` c',
    ['', '{', 'a', ':', '{', 'b', ':', '1', '}', '}', '.', 'a', '', 'c'],
  ],
  ['an escaped back-tick or dollar does not end a template', '`a\\`b\\\x24{c` d', ['a\\`b\\\x24{c', 'd']],
  [
    'a regular expression hides quotes, comments and slashes in a class',
    String.raw`x = /['"\/*]+[/'"]/g; y`,
    ['x', '=', String.raw`/['"\/*]+[/'"]/g`, ';', 'y'],
  ],
  ['a regular expression may follow a keyword', "return /'/", ['return', "/'/"]],
  ['a division is not a regular expression', "a / b / 'c'", ['a', '/', 'b', '/', 'c']],
  [
    'a division may follow a bracket or an increment',
    "(a) / i++ / 'b'",
    ['(', 'a', ')', '/', 'i', '++', '/', 'b'],
  ],
  ['a spread is one token', '...process', ['...', 'process']],
  ['a number may have an exponent, a separator or a point', '1e-3 1_000n .5', ['1e-3', '1_000n', '.5']],
  ['a first line for the shell is a comment', "#!/usr/bin/env it's\na", ['a']],
  ['a private name and a decorator are words', '#secret @sealed', ['#secret', '@sealed']],
] as const) {
  test(claim, () => {
    assert.deepEqual(
      tokensOf(source).map(({ text }) => text),
      expected,
    )
  })
}

test('every token knows its line, after comments, templates and strings of several lines too', () => {
  const lines = tokensOf("/*\n\n*/ a\n`\n\x24{b}\n` c\n'\\\n' d").map(({ text, line }) => [text.trim(), line])
  assert.deepEqual(lines, [
    ['a', 3],
    ['', 4],
    ['b', 5],
    ['', 5],
    ['c', 6],
    ['\\', 7],
    ['d', 8],
  ])
})

for (const source of ["a 'b", '`a', '`\x24{a', '/* a', 'x = /a', 'x = "a\n"'])
  test(`${JSON.stringify(source)} is unreadable, not empty`, () => {
    assert.throws(() => tokensOf(source), UnreadableSource)
  })

test('in .tsx an apostrophe between tags does not swallow the lines below', () => {
  const source = "const a = <p>don't</p>\nconst b = <br />\nimport('c')"
  assert.deepEqual(
    tokensOf(source, true)
      .slice(-4)
      .map(({ text }) => text),
    ['import', '(', 'c', ')'],
  )
})
