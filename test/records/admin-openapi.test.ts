import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { ownScopes } from '../../src/config/own-scopes.ts'
import { sqlite } from '../store/engines.ts'
import { startAdminServer } from './admin-server.ts'

interface Parameter {
  readonly $ref?: string
  readonly name?: string
  readonly in?: string
  readonly schema?: object
}

interface DocumentedOperation {
  readonly operationId: string
  readonly summary: string
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, object>> }
  readonly responses: Readonly<Record<string, object>>
}

interface Document {
  readonly openapi: string
  readonly info: { readonly title: string; readonly version: string }
  readonly servers: readonly { readonly url: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>
  readonly components: Readonly<Record<string, Readonly<Record<string, object>>>>
}

async function documentOf(): Promise<Document> {
  await using admin = await startAdminServer({ engine: sqlite })
  const response = await admin.server.inject('/api/v1/openapi.json')
  assert.equal(response.statusCode, 200)
  assert.equal(response.headers['content-type'], 'application/json; charset=utf-8')
  assert.equal(response.headers['access-control-allow-origin'], '*')
  const told: Document = response.json()
  return told
}

const document = await documentOf()
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
)

test('the document is valid OpenAPI 3.1 and needs no token', async () => {
  assert.equal(document.openapi, '3.1.0')
  const { valid, errors } = await new Validator().validate({ ...document })
  assert.ok(valid, JSON.stringify(errors))
  assert.deepEqual(document.servers, [{ url: 'http://127.0.0.1:8080/api/v1' }])
})

test('every reference in the document leads somewhere', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(
    ([, path = '']) => path,
  )
  assert.ok(references.length > 50)
  for (const path of references) {
    const found = path
      .split('/')
      .reduce<unknown>((value, name) => (value === undefined ? value : Object(value)[name]), document)
    assert.equal(typeof found, 'object', path)
  }
})

test('operations have names of their own, and every one says which scope opens it', () => {
  const names = operations.map(({ operation }) => operation.operationId)
  assert.equal(new Set(names).size, names.length)
  const known = new Set(ownScopes('api', '').map(({ name }) => name))
  for (const { operation } of operations) {
    assert.ok(operation.security.length > 0)
    for (const need of operation.security) {
      const [[scheme, scopes] = ['', []]] = Object.entries(need)
      assert.equal(scheme, 'oauth2')
      assert.ok(scopes.every((scope) => known.has(scope)))
    }
  }
  const offered = Object(document.components.securitySchemes?.oauth2).flows.authorizationCode.scopes
  assert.deepEqual(new Set(Object.keys(offered)), known)
})

test('what a path holds in braces is declared, and nothing else is', () => {
  for (const { path, operation } of operations) {
    const held = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
    const declared = (operation.parameters ?? [])
      .map(({ $ref = '', ...own }) => ({
        ...own,
        ...document.components.parameters?.[$ref.split('/').at(-1) ?? ''],
      }))
      .filter((parameter) => 'in' in parameter && parameter.in === 'path')
      .map((parameter) => ('name' in parameter ? parameter.name : ''))
    assert.deepEqual(declared, held, path)
  }
})

test('lists tell how they are paged: parameters, envelope and headers', () => {
  const lists = operations.filter(({ operation }) => operation.operationId.startsWith('list'))
  assert.equal(lists.length, 5)
  for (const { path, operation } of lists) {
    const text = JSON.stringify(operation)
    const isOffset = path === '/sessions'
    assert.ok(text.includes(`parameters/${isOffset ? 'offset' : 'cursor'}`), path)
    assert.ok(text.includes('components/headers/Link'))
    assert.equal(text.includes('components/headers/XTotalCount'), isOffset)
    assert.equal(text.includes('next_cursor'), !isOffset)
  }
})

test('every operation tells its refusals as problem details', () => {
  for (const { operation } of operations)
    for (const status of ['400', '401', '403', '429', '503'])
      assert.ok(status in operation.responses, `${operation.operationId} ${status}`)
  for (const response of Object.values(document.components.responses ?? {}))
    assert.ok(JSON.stringify(response).includes('application/problem+json'))
})
