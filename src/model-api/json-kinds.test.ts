import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anything, bytes, choice, flag, float, int32, int64, type Kind, struct, text } from './json-kinds.ts'
import { list, mapOf, message } from './json-message.ts'
import { startReading } from './json-reading.ts'

const size = choice('Size', ['SIZE_UNSPECIFIED', 'SMALL', 'LARGE'], true)
const mood = choice('Mood', ['GLAD', 'SAD'])
const point = message('Point', { leftX: float, topY: float })
const pick = message(
  'Pick',
  { first: text, second: text, other: text },
  { name: 'one', fields: ['first', 'second'] },
)

const accepted: readonly (readonly [string, Kind<unknown>, unknown, unknown])[] = [
  ['text', text, 'a', 'a'],
  ['an empty text', text, '', ''],
  ['a number', float, 0.5, 0.5],
  ['a number as text', float, '-1.5e2', -150],
  ['an integer', int32, 7, 7],
  ['an integer with a zero fraction', int32, 7.0, 7],
  ['an integer as text', int32, '7', 7],
  ['a long integer as text', int64, '9007199254740991', 9007199254740991],
  ['true', flag, true, true],
  ['false as text', flag, 'false', false],
  ['a name in upper case', size, 'LARGE', 'LARGE'],
  ['a name in lower case', size, 'large', 'LARGE'],
  ['the number of a name', size, 1, 'SMALL'],
  ['standard base64', bytes, '+/8=', '+/8='],
  ['base64 for URLs', bytes, '-_8=', '+/8='],
  ['base64 without its padding', bytes, '-_8', '+/8='],
  ['no bytes', bytes, '', ''],
  ['a struct as it is', struct, { a_b: [null, { c: 1 }] }, { a_b: [null, { c: 1 }] }],
  ['any value as it is', anything, [1, 'a'], [1, 'a']],
  ['a list', list(text), ['a', 'b'], ['a', 'b']],
  ['a single value for a list of one', list(text), 'a', ['a']],
  ['a map', mapOf(int32), { a: '1', __other: 2 }, { a: 1, __other: 2 }],
  ['a message in camelCase', point, { leftX: 1, topY: 2 }, { leftX: 1, topY: 2 }],
  ['a message in snake_case', point, { left_x: 1, top_y: 2 }, { leftX: 1, topY: 2 }],
  ['null as absent', point, { leftX: null, topY: 2 }, { topY: 2 }],
  ['one of several', pick, { second: 'b', other: 'c' }, { second: 'b', other: 'c' }],
]

for (const [title, kind, value, expected] of accepted)
  test(`${title} is read`, () => {
    const reading = startReading()
    reading.path.push('at')
    assert.deepEqual(kind.read(value, reading), expected)
    assert.deepEqual(reading.violations, [])
  })

const type = 'type.googleapis.com/google.ai.generativelanguage.v1beta'

const refused: readonly (readonly [string, Kind<unknown>, unknown, string])[] = [
  ['a number for a text', text, 123, "Invalid value at 'at' (TYPE_STRING), 123"],
  [
    'an object for a text',
    text,
    {},
    "Invalid value at 'at' (TYPE_STRING), Starting an object on a scalar field",
  ],
  ['a text for a number', float, 'warm', 'Invalid value at \'at\' (TYPE_FLOAT), "warm"'],
  ['an infinite number', float, 'Infinity', 'Invalid value at \'at\' (TYPE_FLOAT), "Infinity"'],
  ['an empty text for a number', float, '', 'Invalid value at \'at\' (TYPE_FLOAT), ""'],
  ['a fraction for an integer', int32, 1.5, "Invalid value at 'at' (TYPE_INT32), 1.5"],
  ['an integer that needs more bits', int32, 2 ** 31, "Invalid value at 'at' (TYPE_INT32), 2147483648"],
  [
    'a long integer that loses digits',
    int64,
    2 ** 53,
    "Invalid value at 'at' (TYPE_INT64), 9007199254740992",
  ],
  ['a number for a flag', flag, 1, "Invalid value at 'at' (TYPE_BOOL), 1"],
  ['an unknown name', size, 'HUGE', `Invalid value at 'at' (${type}.Size), "HUGE"`],
  ['an unknown number', size, 9, `Invalid value at 'at' (${type}.Size), 9`],
  ['a number where names have none', mood, 0, `Invalid value at 'at' (${type}.Mood), 0`],
  [
    'what is not base64',
    bytes,
    'a b',
    'Invalid value at \'at\' (TYPE_BYTES), Base64 decoding failed for "a b"',
  ],
  [
    'base64 cut short',
    bytes,
    'abcde',
    'Invalid value at \'at\' (TYPE_BYTES), Base64 decoding failed for "abcde"',
  ],
  [
    'base64 with too much padding',
    bytes,
    'ab=',
    'Invalid value at \'at\' (TYPE_BYTES), Base64 decoding failed for "ab="',
  ],
  ['a number for bytes', bytes, 1, "Invalid value at 'at' (TYPE_BYTES), 1"],
  [
    'a text for a struct',
    struct,
    'a',
    'Invalid value at \'at\' (type.googleapis.com/google.protobuf.Struct), "a"',
  ],
  ['a text for a message', point, 'a', `Invalid value at 'at' (${type}.Point), "a"`],
  ['null in a list', list(text), ['a', null], "Invalid value at 'at[1]' (TYPE_STRING), null"],
  [
    'a list in a list',
    list(text),
    [['a']],
    "Invalid value at 'at[0]' (TYPE_STRING), Starting a list on a scalar field",
  ],
  [
    'a wrong value in a map',
    mapOf(int32),
    { a: 1, b: 'x' },
    'Invalid value at \'at[1].value\' (TYPE_INT32), "x"',
  ],
  ['a text for a map', mapOf(int32), 'x', 'Invalid value at \'at\' (Map), "x"'],
  [
    'an unknown name in a message',
    point,
    { z: 1 },
    'Invalid JSON payload received. Unknown name "z" at \'at\': Cannot find field.',
  ],
  [
    'a list for one value',
    point,
    { left_x: [1] },
    'Invalid JSON payload received. Unknown name "left_x" at \'at\': Proto field is not repeating, cannot start list.',
  ],
  [
    'both spellings of a field',
    point,
    { leftX: 1, left_x: 1 },
    "Invalid JSON payload received. Unknown name \"left_x\" at 'at': Field 'left_x' is already set.",
  ],
  [
    'two of which only one may be set',
    pick,
    { first: 'a', second: 'b' },
    "Invalid value at 'at' (oneof), oneof field 'one' is already set. Cannot set 'second'",
  ],
]

for (const [title, kind, value, description] of refused)
  test(`${title} is a violation`, () => {
    const reading = startReading()
    reading.path.push('at')
    kind.read(value, reading)
    assert.deepEqual(
      reading.violations.map((violation) => violation.description),
      [description],
    )
    assert.deepEqual(reading.path, ['at'])
  })

test('a name from the prototype of objects is as unknown as any other', () => {
  const reading = startReading()
  point.read(JSON.parse('{"__proto__":1,"constructor":2,"leftX":3}'), reading)
  assert.deepEqual(
    reading.violations.map(({ description }) => description.slice(0, 62)),
    [
      'Invalid JSON payload received. Unknown name "__proto__": Canno',
      'Invalid JSON payload received. Unknown name "constructor": Can',
    ],
  )
})

test('a value is shown only as far as it is short', () => {
  const reading = startReading()
  reading.path.push('at')
  int32.read('x'.repeat(10_000), reading)
  const [violation] = reading.violations
  assert.ok((violation?.description.length ?? 0) < 400)
})

test('a list that is wrong everywhere is told of a hundred times', () => {
  const reading = startReading()
  list(int32).read(Array(1000).fill('x'), reading)
  assert.equal(reading.violations.length, 100)
})
