import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Compile } from 'typebox/compile'
import { readOpenApi } from './openapi-document.ts'
import { standaloneSchema } from './openapi-schema.ts'

function convert(version: string, schema: unknown, schemas: Record<string, unknown> = {}): unknown {
  const document = readOpenApi(JSON.stringify({ openapi: version, components: { schemas } }))
  return standaloneSchema(document, schema)
}

test('the dialect of 3.0 becomes JSON Schema', () => {
  const given = {
    type: 'integer',
    nullable: true,
    minimum: 1,
    exclusiveMinimum: true,
    maximum: 9,
    exclusiveMaximum: false,
    enum: [2, 3],
    example: 2,
    xml: {},
    'x-internal': true,
  }
  assert.deepEqual(convert('3.0.3', given), {
    type: ['integer', 'null'],
    minimum: 1,
    exclusiveMinimum: 1,
    maximum: 9,
    enum: [2, 3, null],
  })
})

test('3.1 is JSON Schema already, and keeps its keywords', () => {
  const given = { type: ['string', 'null'], exclusiveMinimum: 3, oneOf: [{ const: 'a' }, true], $id: 'x' }
  assert.deepEqual(convert('3.1.0', given), {
    type: ['string', 'null'],
    exclusiveMinimum: 3,
    oneOf: [{ const: 'a' }, true],
  })
})

test('properties that only answers have are left out', () => {
  const given = { type: 'object', required: ['id', 'a'], properties: { id: { readOnly: true }, a: {} } }
  assert.deepEqual(convert('3.0.0', given), { type: 'object', required: ['a'], properties: { a: {} } })
})

test('references are replaced, through several steps, with escaped names', () => {
  const schemas = { 'a/b': { $ref: '#/components/schemas/c' }, c: { type: 'string' } }
  assert.deepEqual(convert('3.1.0', { $ref: '#/components/schemas/a~1b' }, schemas), { type: 'string' })
})

test('keywords beside a reference hold in 3.1 and are ignored in 3.0', () => {
  const schemas = { c: { type: 'string' } }
  const given = { $ref: '#/components/schemas/c', description: 'd', maxLength: 3 }
  assert.deepEqual(convert('3.1.0', given, schemas), {
    allOf: [{ type: 'string' }, { maxLength: 3 }],
    description: 'd',
  })
  assert.deepEqual(convert('3.0.0', given, schemas), { type: 'string' })
})

test('a schema that contains itself ends', () => {
  const schemas = {
    a: { type: 'object', properties: { b: { $ref: '#/components/schemas/b' } } },
    b: { type: 'array', items: { $ref: '#/components/schemas/a' } },
  }
  assert.deepEqual(convert('3.1.0', { $ref: '#/components/schemas/a' }, schemas), {
    type: 'object',
    properties: { b: { type: 'array', items: {} } },
  })
})

test('what only answers have is left out through references and allOf as well', () => {
  const schemas = {
    Id: { type: 'string', readOnly: true },
    Base: { type: 'object', properties: { id: { type: 'string', readOnly: true } }, required: ['id'] },
  }
  const byReference = {
    required: ['id', 'a'],
    properties: { id: { $ref: '#/components/schemas/Id' }, a: {} },
  }
  assert.deepEqual(convert('3.0.0', byReference, schemas), { required: ['a'], properties: { a: {} } })
  const byParts = { allOf: [{ $ref: '#/components/schemas/Base' }, { required: ['id', 'name'] }] }
  assert.deepEqual(convert('3.1.0', byParts, schemas), {
    allOf: [{ type: 'object', properties: {}, required: [] }, { required: ['name'] }],
  })
})

test('a schema that contains itself refuses nothing that the document allows', () => {
  const group = { $ref: '#/components/schemas/Group' }
  const leaf = { type: 'object', required: ['field'], properties: { field: { type: 'string' } } }
  const schemas = {
    Group: {
      type: 'object',
      required: ['conditions'],
      properties: { conditions: { type: 'array', items: { oneOf: [group, leaf] } } },
    },
    Contrary: {
      not: { properties: { a: { $ref: '#/components/schemas/Contrary' } } },
      if: { $ref: '#/components/schemas/Contrary' },
      else: false,
      unevaluatedProperties: false,
      type: 'object',
    },
    Dynamic: { oneOf: [{ $dynamicRef: '#node' }, { type: 'null' }] },
  }
  const check = Compile(JSON.parse(JSON.stringify(convert('3.1.0', group, schemas))))
  const deep = { conditions: [{ field: 'a' }, { conditions: [{ field: 'b' }, { conditions: [] }] }] }
  assert.equal(check.Check(deep), true)
  assert.equal(check.Check({ conditions: [7] }), true)
  assert.equal(check.Check({}), false)
  assert.deepEqual(convert('3.1.0', { $ref: '#/components/schemas/Contrary' }, schemas), { type: 'object' })
  assert.deepEqual(convert('3.1.0', { $ref: '#/components/schemas/Dynamic' }, schemas), {
    anyOf: [{}, { type: 'null' }],
  })
})

function multiplying(levels: number, width: number): Record<string, unknown> {
  const level = (index: number): [string, unknown] => [
    `s${index}`,
    { anyOf: Array.from({ length: width }, () => ({ $ref: `#/components/schemas/s${index + 1}` })) },
  ]
  const all = Array.from({ length: levels }, (_, index) => level(index))
  return { ...Object.fromEntries(all), [`s${levels}`]: { type: 'string' } }
}

test('schemas that multiply each other are followed less deep', () => {
  const text = JSON.stringify(convert('3.1.0', { $ref: '#/components/schemas/s0' }, multiplying(20, 4)))
  assert.match(text, /^\{"anyOf":\[\{"anyOf"/)
  assert.ok(text.length < 100_000)
})

test('schemas that multiply each other beyond that are refused instead of written out', () => {
  const schemas = multiplying(20, 40)
  assert.throws(() => convert('3.1.0', { $ref: '#/components/schemas/s0' }, schemas), /more than 5000 parts/)
})

for (const reference of [
  'https://evil.example/s.json',
  'other.yaml#/a',
  'file:///etc/passwd',
  '#/nowhere',
  '#/__proto__',
]) {
  test(`a reference is refused: ${reference}`, () => {
    assert.throws(() => convert('3.1.0', { $ref: reference }), /\$ref/)
  })
}

test('a pattern that cannot be read is left to the API', () => {
  assert.deepEqual(convert('3.1.0', { pattern: '[' }), {})
  assert.deepEqual(convert('3.1.0', { pattern: '^a$' }), { pattern: '^a$' })
})

for (const text of [
  '',
  '[]',
  'swagger: "2.0"',
  'openapi: 3.2.0',
  'openapi: 4.0.0',
  '{',
  'a: [',
  'a: 1\na: 2',
]) {
  test(`a text is not taken for OpenAPI 3.0 or 3.1: ${JSON.stringify(text)}`, () => {
    assert.throws(() => readOpenApi(text), { code: 'misconfigured' })
  })
}
