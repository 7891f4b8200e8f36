import assert from 'node:assert/strict'
import { test } from 'node:test'
import { walkMembers } from './json-members.ts'

/** The path of each member; unset ones with a question mark. */
function membersOf(text: string): readonly string[] {
  const found: string[] = []
  walkMembers(text, '', ({ name, isUnset }, place) => {
    const path = `${place}/${name}`
    found.push(isUnset ? `${path}?` : path)
    return path
  })
  return found
}

test('every member is seen in the order of the text, those of the same name each time', () => {
  const text = '{ "a" : {"b":[1,{"c":"}"},[{"d":null}]]},"a":"", "a":{}, "e":"\\"{\\\\" ,"f":-1.5e+3}'
  assert.deepEqual(membersOf(text), ['/a', '/a/b', '/a/b/c', '/a/b/d?', '/a?', '/a', '/e', '/f'])
})

test('names are told as they are meant, however they are spelled', () => {
  assert.deepEqual(membersOf('{"\\u0061\\/\\n":1,"\\"":2,"\\\\":3}'), ['/a/\n', '/"', '/\\'])
})

const texts = [
  '{}',
  ' [ ] ',
  '"a"',
  '0',
  '-0.5E-7',
  'true',
  '[{"a":[false,null]}]',
  '',
  ' ',
  '{',
  '}',
  '[1,]',
  '{"a":1,}',
  '{,}',
  '{"a"}',
  '{"a":}',
  '{"a" 1}',
  "{'a':1}",
  '{a:1}',
  '{"a":1}}',
  '{"a":1} {}',
  '[1 2]',
  '[01]',
  '[+1]',
  '[.5]',
  '[NaN]',
  '[nul]',
  '[nullx]',
  '"a',
  '"a\\"',
  '{"\\x61":1}',
  '{"\\u00":1}',
  '{"a":1]',
  '[1}',
  '[/* */]',
  '\ufeff{}',
]
for (const text of texts)
  test(`${JSON.stringify(text)} is read if it is JSON, and only then`, () => {
    if (isJson(text)) membersOf(text)
    else assert.throws(() => membersOf(text), SyntaxError)
  })

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

test('500 levels are read, one more is refused', () => {
  const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
  membersOf(nested(500))
  assert.throws(() => membersOf(nested(501)), /deeper than 500 levels/)
  assert.throws(() => membersOf('{"a":'.repeat(100_000)), /deeper than 500 levels/)
})

test('the value of a member can be asked for where it is a text, and is read as it is meant', () => {
  const found: (string | undefined)[] = []
  walkMembers('{"a": "x\\u0079","b":1,"c":{"d":""},"e":["f"]}', 0, ({ text }) => found.push(text()?.meant))
  assert.deepEqual(found, ['xy', undefined, undefined, '', undefined])
})

test('200,000 values are read, one more is refused', () => {
  const list = (values: number): string => `[${'1,'.repeat(values - 2)}1]`
  membersOf(list(200_000))
  assert.throws(() => membersOf(list(200_001)), /at most 200000 values/)
})
