import assert from 'node:assert/strict'
import { test } from 'node:test'
import { grammarSchema } from './grammar-schema.ts'

test('a schema of the Gemini wire becomes one that a grammar can hold', () => {
  const schema = {
    type: 'OBJECT',
    title: 'Dog',
    properties: {
      name: { type: 'STRING', maxLength: '12' },
      tags: { type: 'ARRAY', items: { type: 'STRING', enum: ['big', 'small'] }, maxItems: '2' },
      born: { type: 'STRING', format: 'date' },
      owner: { anyOf: [{ type: 'STRING' }, { type: 'INTEGER' }] },
    },
    required: ['name'],
  }
  assert.deepEqual(grammarSchema(schema, 'responseSchema'), {
    type: 'object',
    properties: {
      name: { type: 'string', maxLength: 12 },
      tags: { type: 'array', items: { type: 'string', enum: ['big', 'small'] }, maxItems: 2 },
      born: { type: 'string', format: 'date' },
      owner: { oneOf: [{ type: 'string' }, { type: 'integer' }] },
    },
    required: ['name'],
  })
})

test('a JSON Schema goes through, with a nullable object as a choice', () => {
  const schema = { type: ['object', 'null'], properties: { a: { const: 1 } }, additionalProperties: false }
  assert.deepEqual(grammarSchema(schema, 'responseJsonSchema'), {
    oneOf: [
      { type: 'object', properties: { a: { const: 1 } }, additionalProperties: false },
      { type: 'null' },
    ],
  })
})

for (const [keyword, schema] of [
  ['pattern', { type: 'string', pattern: '^a' }],
  ['minimum', { type: 'object', properties: { n: { type: 'integer', minimum: 3 } } }],
  ['format', { type: 'string', format: 'email' }],
  ['format', { type: 'string', format: { toString: '', valueOf: '' } }],
  ['not', { not: { type: 'string' } }],
] as const) {
  test(`${keyword} of ${JSON.stringify(schema)} is refused by its name, because no grammar holds it`, () => {
    assert.throws(() => grammarSchema(schema, 'responseJsonSchema'), {
      code: 'invalid-request',
      message: new RegExp(`\\.${keyword}: `),
    })
  })
}
