import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../../failure/failure.ts'
import { compileSchema } from './schema.ts'

const refused = (schema: unknown, message: RegExp): void =>
  assert.throws(
    () => compileSchema(schema, 'schema'),
    (error) => error instanceof Failure && error.code === 'invalid-request' && message.test(error.message),
  )

test('the upper-case types of the wire mean the same as those of JSON Schema', () => {
  const of = (type: (name: string) => string): unknown => ({
    type: type('object'),
    properties: {
      name: { type: type('string'), minLength: 1, maxLength: '9' },
      count: { type: type('integer'), minimum: 2, maximum: 5 },
      tags: { type: type('array'), items: { type: type('boolean') }, minItems: '1' },
    },
    required: ['name'],
  })
  const node = compileSchema(
    of((name) => name.toUpperCase()),
    'schema',
  )
  assert.deepEqual(
    node,
    compileSchema(
      of((name) => name),
      'schema',
    ),
  )
  assert.deepEqual(node, {
    kind: 'object',
    properties: [
      { name: 'name', isRequired: true, node: { kind: 'string', least: 1, most: 9 } },
      { name: 'count', isRequired: false, node: { kind: 'number', isInteger: true, least: 2, most: 5 } },
      {
        name: 'tags',
        isRequired: false,
        node: { kind: 'array', items: { kind: 'choice', texts: ['true', 'false'] }, least: 1, most: 4 },
      },
    ],
  })
})

test('properties come in the order that is asked for', () => {
  const properties = { a: { type: 'null' }, b: { type: 'null' }, c: { type: 'null' } }
  const node = compileSchema({ type: 'OBJECT', properties, propertyOrdering: ['c', 'a'] }, 'schema')
  assert.deepEqual(node.kind === 'object' && node.properties.map(({ name }) => name), ['c', 'a', 'b'])
})

test('a value is preferred to null, and references are followed', () => {
  const text = { kind: 'string', least: 0, most: 10_000 }
  assert.deepEqual(compileSchema({ type: ['null', 'string'] }, 'schema'), text)
  assert.deepEqual(compileSchema({ anyOf: [{ type: 'null' }, { type: 'string' }] }, 'schema'), text)
  const root = { $ref: '#/$defs/name', $defs: { name: { type: 'string' } } }
  assert.deepEqual(compileSchema(root, 'schema'), text)
})

test('enum and const become the texts to choose from', () => {
  const node = compileSchema({ type: 'STRING', format: 'enum', enum: ['red', 'blue', 'red'] }, 'schema')
  assert.deepEqual(node, { kind: 'choice', texts: ['"red"', '"blue"'] })
  assert.deepEqual(compileSchema({ const: 5 }, 'schema'), { kind: 'choice', texts: ['5'] })
})

test('bounds are narrowed to few digits and one sign', () => {
  const bounds = (schema: object): unknown => {
    const node = compileSchema({ type: 'number', ...schema }, 'schema')
    return node.kind === 'number' && [node.least, node.most]
  }
  assert.deepEqual(bounds({}), [0, 999])
  assert.deepEqual(bounds({ minimum: -5, maximum: 5 }), [0, 5])
  assert.deepEqual(bounds({ maximum: -5 }), [-1004, -5])
  assert.deepEqual(bounds({ exclusiveMinimum: 0, exclusiveMaximum: 3 }), [1, 2])
  assert.deepEqual(bounds({ minimum: 0.5 }), [1, 1000])
  refused({ type: 'number', minimum: 0.1, maximum: 0.9 }, /whole number between/)
})

test('a keyword that cannot be kept to is refused by name and place', () => {
  refused({ type: 'string', pattern: '^a' }, /^schema\.pattern is a keyword/)
  refused({ type: 'array', items: { type: 'string' }, uniqueItems: true }, /^schema\.uniqueItems/)
  refused(
    { type: 'object', properties: { at: { type: 'string', format: 'date-time' } } },
    /properties\.at\.format/,
  )
  refused({ oneOf: [] }, /schema\.type must be one of/)
})

test('a schema that contradicts itself is refused', () => {
  refused('text', /must be a schema object/)
  refused({ type: 'thing' }, /schema\.type must be one of/)
  refused({ type: 'object', properties: {}, required: ['a'] }, /names "a"/)
  refused({ type: 'array', items: { type: 'null' }, minItems: 3, maxItems: 2 }, /at least minItems, 3/)
  refused({ type: 'array' }, /items must say/)
  refused({ type: 'string', enum: [] }, /enum must be a list/)
  refused({ $ref: '#/$defs/none' }, /must point into this schema/)
})

test('a schema without end, or too large when unfolded, is refused', () => {
  const endless = { $ref: '#/$defs/a', $defs: { a: { type: 'array', items: { $ref: '#/$defs/a' } } } }
  refused(endless, /nested deeper than 16/)
  const twice = (next: string): unknown => ({
    type: 'object',
    properties: { a: { $ref: next }, b: { $ref: next }, c: { $ref: next } },
  })
  const names = Array.from({ length: 7 }, (_, at) => `d${at}`)
  const $defs = Object.fromEntries(
    names.map((name, at) => [name, at === 6 ? { type: 'null' } : twice(`#/$defs/d${at + 1}`)]),
  )
  refused({ $ref: '#/$defs/d0', $defs }, /more than 500 parts/)
})

const trap = { toString: '', valueOf: '' }

test('what a schema calls toString is never called', () => {
  const properties = { a: { type: 'null' } }
  refused({ properties, required: [trap] }, /required must be a list of names/)
  refused({ properties, propertyOrdering: [['a']] }, /propertyOrdering must be a list of names/)
  refused({ type: 'string', minLength: trap }, /minLength must be a whole number/)
  refused({ anyOf: [{ type: trap }] }, /type must be one of/)
  refused({ type: [trap] }, /type must be one of/)
})

test('only a whole number, or its digits, is a length', () => {
  for (const length of [true, null, [3], '', ' 3', '0x3', '3.0', 1e300, Infinity, -1])
    refused({ type: 'string', maxLength: length }, /maxLength must be a whole number from 0/)
})
