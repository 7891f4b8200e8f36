import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fromJsonSchema } from './json-schema.ts'

test('a schema in lower case comes through as it is', () => {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: ['object', 'null'],
    properties: { type: { const: 'OBJECT' }, items: { enum: ['STRING'] } },
    patternProperties: { '^x': true },
    additionalProperties: false,
    default: { type: 'STRING' },
    allOf: [{ if: { required: ['a'] } }],
    'x-own': { type: 'STRING' },
  }
  assert.deepEqual(fromJsonSchema(schema, 'schema'), schema)
})

test('upper-case types become lower case wherever a schema stands, and nowhere else', () => {
  const schema = {
    type: 'OBJECT',
    properties: { type: { type: ['STRING', 'NULL'], examples: ['STRING'] } },
    items: { type: 'INTEGER' },
    anyOf: [{ not: { type: 'Boolean' } }],
    $defs: { a: { prefixItems: [{ type: 'NUMBER' }] } },
  }
  assert.deepEqual(fromJsonSchema(schema, 'schema'), {
    type: 'object',
    properties: { type: { type: ['string', 'null'], examples: ['STRING'] } },
    items: { type: 'integer' },
    anyOf: [{ not: { type: 'boolean' } }],
    $defs: { a: { prefixItems: [{ type: 'number' }] } },
  })
})

test('the order of properties is their order', () => {
  const schema = { properties: { a: {}, b: {} }, propertyOrdering: ['b', 'a'] }
  assert.equal(JSON.stringify(fromJsonSchema(schema, 'schema')), '{"properties":{"b":{},"a":{}}}')
})

test('whatever JSON a schema holds, translating it twice changes nothing more', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (extra) => {
      const schema = { type: 'ARRAY', 'x-extra': extra, items: { default: extra } }
      const once = fromJsonSchema(schema, 'schema')
      assert.deepEqual(fromJsonSchema(once, 'schema'), once)
      assert.deepEqual(Object(once).items, { default: extra })
    }),
  )
})

test('a schema nested without end is refused by name', () => {
  let schema: object = {}
  for (let depth = 0; depth < 5000; depth += 1) schema = { not: schema }
  assert.throws(() => fromJsonSchema(schema, 'schema'), /^Failure: schema\.not/)
})
