import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { Compile } from 'typebox/schema'
import { parse } from 'yaml'
import { configJsonSchema } from './json-schema.ts'

const file = new URL('../../schema/postern.schema.json', import.meta.url)
const howToRegenerate =
  'schema/postern.schema.json is out of date; write it anew with: UPDATE=1 node --test src/config/json-schema.test.ts'

test('the schema shipped for editors is the one of the code', () => {
  const current = `${JSON.stringify(configJsonSchema(), null, 2)}\n`
  if (process.env.UPDATE === '1') writeFileSync(file, current)
  assert.equal(readFileSync(file, 'utf8'), current, howToRegenerate)
})

const validator = Compile(configJsonSchema())

const accepted = [
  '{}',
  'server: { port: 8080, workers: auto }',
  `server: { port: "\${PORT}", workers: "\${WORKERS:-2}" }`,
  `log: { level: "\${LEVEL:-info}" }`,
  'issuers: [{ issuer: https://a.example }]',
  'issuers: [{ issuer: https://a.example, introspection: { url: https://a, clientId: c, clientSecret: s } }]',
  `tools: { sources: [{ kind: mcp, name: "\${NAME}", url: https://a.example, scopes: { "*": [a] } }] }`,
  'models: [{ name: a, engine: story }, { name: b, engine: vertex, project: p }]',
  'limits: { tools: { echo: 5 } }',
  'authority: { scopes: { "notes:read": { description: Read your notes } } }',
]

const refused = [
  'sever: {}',
  'server: { prot: 8080 }',
  'server: { port: 99999 }',
  'server: { port: eighty }',
  'log: { level: loud }',
  'issuers: [{ validate: jwt }]',
  'tools: { sources: [{ kind: mcp }] }',
  'tools: { sources: [{ kind: other }] }',
  'models: [{ name: "a b", engine: story }]',
  'limits: { tools: { echo: 0 } }',
  'authority: { scopes: { "notes:read": { resource: mcp } } }',
  'authority: { clients: [{ id: a, name: A, grants: [implicit] }] }',
]

test('an editor accepts what is right: defaults left out, references in place of any value', () => {
  for (const text of accepted) assert.equal(validator.Check(parse(text)), true, text)
})

test('an editor marks an unknown key, a wrong value and a missing key', () => {
  for (const text of refused) assert.equal(validator.Check(parse(text)), false, text)
})

test('every key has a description, and secrets are marked', () => {
  const text = JSON.stringify(configJsonSchema())
  assert.doesNotMatch(text, /"(?:format|x-derived|x-expects)"/)
  assert.match(text, /"clientSecret":\{"description":"[^"]+","type":"string","x-secret":"whole"\}/)
})
