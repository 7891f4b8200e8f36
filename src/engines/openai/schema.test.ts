import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Compile } from 'typebox/compile'
import { Failure } from '../../failure/failure.ts'
import { fromGeminiSchema } from './schema.ts'
import type { JsonObject } from './values.ts'

/** A schema of the Gemini wire with a value that fits it and one that does not. */
interface Sample {
  readonly schema: JsonObject
  readonly good: unknown
  readonly bad: unknown
}

const scalars: readonly Sample[] = [
  {
    schema: { type: 'STRING', format: 'date-time', description: 'when' },
    good: '2026-11-15T00:00:00Z',
    bad: 1,
  },
  { schema: { type: 'STRING', format: 'enum', enum: ['a', 'b'] }, good: 'b', bad: 'c' },
  { schema: { type: 'STRING', minLength: '2', maxLength: '3' }, good: 'ab', bad: 'a' },
  { schema: { type: 'STRING', pattern: '^x+$' }, good: 'xx', bad: 'y' },
  { schema: { type: 'INTEGER', format: 'int32', minimum: 1, maximum: 5 }, good: 5, bad: 6 },
  { schema: { type: 'INTEGER', enum: ['1', '2'] }, good: 2, bad: '2' },
  { schema: { type: 'NUMBER', example: 0.5 }, good: 1.5, bad: '1.5' },
  { schema: { type: 'BOOLEAN', default: true }, good: false, bad: 0 },
  { schema: { type: 'NULL' }, good: null, bad: false },
  { schema: { anyOf: [{ type: 'STRING' }, { type: 'INTEGER' }] }, good: 3, bad: true },
]

const { sample } = fc.letrec<{ sample: Sample }>((tie) => ({
  sample: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(...scalars),
    tie('sample').map(arrayOf),
    fc.array(tie('sample'), { minLength: 1, maxLength: 3 }).map(objectOf),
  ),
}))

function arrayOf(item: Sample): Sample {
  const schema = { type: 'ARRAY', items: item.schema, minItems: '1', maxItems: 2 }
  return { schema, good: [item.good, item.good], bad: [item.bad] }
}

function objectOf(fields: readonly Sample[]): Sample {
  const named = (pick: (field: Sample) => unknown): JsonObject =>
    Object.fromEntries(fields.map((field, index) => [`p${index}`, pick(field)]))
  const names = fields.map((_, index) => `p${index}`)
  const schema = {
    type: 'OBJECT',
    properties: named(({ schema: inner }) => inner),
    required: names,
    propertyOrdering: names.toReversed(),
    maxProperties: '9',
  }
  return { schema, good: named(({ good }) => good), bad: named(({ bad }) => bad) }
}

const accepts = (schema: JsonObject, value: unknown): boolean =>
  Compile(fromGeminiSchema(schema, 'schema')).Check(value)

test('a translated schema takes and refuses the same values', () => {
  fc.assert(
    fc.property(sample, ({ schema, good, bad }) => {
      assert.equal(accepts(schema, good), true)
      assert.equal(accepts(schema, bad), false)
    }),
    { numRuns: 200 },
  )
})

test('null is taken exactly where nullable says so, at any depth', () => {
  fc.assert(
    fc.property(sample, ({ schema, good }) => {
      const isNull = schema.type === 'NULL'
      assert.equal(accepts({ ...schema, nullable: true }, null), true)
      assert.equal(accepts({ ...schema, nullable: true }, good), true)
      assert.equal(accepts({ ...schema, nullable: false }, null), isNull)
      const inside = { type: 'OBJECT', properties: { a: { ...schema, nullable: true } }, required: ['a'] }
      assert.equal(accepts(inside, { a: null }), true)
    }),
    { numRuns: 100 },
  )
})

test('no word of the Gemini dialect is left, and properties stand in their given order', () => {
  fc.assert(
    fc.property(sample, ({ schema }) => {
      const text = JSON.stringify(fromGeminiSchema({ ...schema, nullable: true }, 'schema'))
      assert.doesNotMatch(
        text,
        /"(?:nullable|propertyOrdering|example)":|"type":"[A-Z]|"(?:min|max)[A-Z][a-z]+":"/,
      )
    }),
    { numRuns: 100 },
  )
  const ordered = fromGeminiSchema(
    { type: 'OBJECT', properties: { a: {}, b: {}, c: {} }, propertyOrdering: ['c', 'x', 'a'] },
    'schema',
  )
  assert.deepEqual(Object.keys(Object(ordered.properties)), ['c', 'a', 'b'])
})

test('a reference keeps its target, also when it is nullable', () => {
  const schema = { ref: '#/defs/Node', nullable: true, defs: { Node: { type: 'STRING' } } }
  assert.deepEqual(fromGeminiSchema(schema, 'schema'), {
    $defs: { Node: { type: 'string' } },
    anyOf: [{ $ref: '#/$defs/Node' }, { type: 'null' }],
  })
})

test('additional properties are a schema or a yes or no', () => {
  assert.deepEqual(fromGeminiSchema({ additionalProperties: { type: 'STRING' } }, 'schema'), {
    additionalProperties: { type: 'string' },
  })
  assert.deepEqual(fromGeminiSchema({ additionalProperties: false }, 'schema'), {
    additionalProperties: false,
  })
  assert.deepEqual(fromGeminiSchema({ type: 'TYPE_UNSPECIFIED' }, 'schema'), {})
})

let deep: JsonObject = { type: 'STRING' }
for (let depth = 0; depth < 5000; depth += 1) deep = { type: 'ARRAY', items: deep }

const refused: readonly (readonly [string, unknown])[] = [
  ['schema.properties.a.type', { properties: { a: { type: 'DATE' } } }],
  ['schema.items.minItems', { items: { minItems: '1.5' } }],
  ['schema.items.constructor', { items: { constructor: 1 } }],
  ['schema.nullable', { nullable: 'yes' }],
  ['schema.anyOf[1]', { anyOf: [{}, 'x'] }],
  ['schema.anyOf', { anyOf: {} }],
  ['schema.enum', { type: 'INTEGER', enum: ['one'] }],
  ['schema.enum', { type: 'NUMBER', enum: [null] }],
  ['schema.enum', { type: 'NUMBER', enum: [[1]] }],
  ['schema.enum', { type: 'NUMBER', enum: [''] }],
  ['schema.enum', { type: 'NUMBER', enum: [{ toString: '', valueOf: '' }] }],
  ['schema.maxItems', { maxItems: { toString: '', valueOf: '' } }],
  ['schema.maxItems', { maxItems: ' ' }],
  ['schema.ref', { ref: { toString: '', valueOf: '' } }],
  ['schema.$ref', { $ref: ['#/defs/a'] }],
  ['schema.properties', { properties: [] }],
  ['schema', 'STRING'],
  ['schema.items', deep],
]

for (const [path, schema] of refused) {
  const shown = schema === deep ? 'more levels than anybody needs' : JSON.stringify(schema)
  test(`${path} of ${shown} is refused by name`, () => {
    assert.throws(
      () => fromGeminiSchema(schema, 'schema'),
      (error: unknown) =>
        error instanceof Failure && error.code === 'invalid-request' && error.message.startsWith(path),
    )
  })
}
