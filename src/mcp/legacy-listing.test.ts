import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ToolSchema } from '@modelcontextprotocol/sdk/types.js'
import { legacyListing } from './legacy-listing.ts'

const plain = { name: 'a', inputSchema: { type: 'object', properties: { a: { type: 'string' } } } }

test('a listing that the official client of the older era takes stays as it is', () => {
  const listing = { ...plain, outputSchema: { type: 'object', required: ['b'] }, annotations: {} }
  assert.equal(JSON.stringify(legacyListing(listing)), JSON.stringify(listing))
})

test('properties that JSON Schema writes as true and false are spelled out', () => {
  const schema = { type: 'object', properties: { any: true, none: false, a: {} }, required: ['any'] }
  const spelled = { ...schema, properties: { any: {}, none: { not: {} }, a: {} } }
  const shown = legacyListing({ name: 'a', inputSchema: schema, outputSchema: schema })
  assert.deepEqual(shown, { name: 'a', inputSchema: spelled, outputSchema: spelled })
  assert.ok(ToolSchema.safeParse(shown).success)
})

for (const wrong of [
  { type: 'string' },
  { type: 'object', properties: null },
  { type: 'object', properties: { a: 'text' } },
  { type: 'object', required: true },
  { type: 'object', required: [1] },
  null,
])
  test(`the official client takes a list with the schema ${JSON.stringify(wrong)}`, () => {
    assert.deepEqual(legacyListing({ ...plain, outputSchema: wrong }), plain)
    assert.ok(ToolSchema.safeParse(legacyListing({ name: 'a', inputSchema: wrong })).success)
  })
