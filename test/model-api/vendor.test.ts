import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { after, test } from 'node:test'
import { parseConfig } from '../../src/config/parse-config.ts'
import { createGateway } from '../../src/gateway/gateway.ts'
import { openModelSurface } from '../../src/gateway/model-surface.ts'
import { createLog } from '../../src/log/log.ts'
import { createApiKeys } from '../../src/store/api-keys.ts'
import { microsecondClock } from '../../src/store/clock.ts'
import { openStore } from '../../src/store/open-store.ts'

const settings = `
vendor: acme
apiKeys: { inQuery: false }
scopeBase: https://scopes.acme.example/auth
models: [{ name: tiny, engine: story }]
store: "sqlite::memory:"
`
const config = parseConfig(settings, { file: 'postern.yaml', env: {} })
const log = createLog({ level: 'silent' })
const directory = tmpdir()
const store = await openStore(config.store, { log, directory })
const modelSurface = openModelSurface({ config, store, log, directory })
const gateway = createGateway({ config, store, log, modelSurface })
after(() => gateway.stop())
const keys = createApiKeys(store, microsecondClock())
const { key } = await keys.create({ name: 'test' })

async function list(headers: Record<string, string>, query = ''): Promise<{ status: number; body: unknown }> {
  const answer = await gateway.inject({
    url: `/v1beta/models${query}`,
    headers: { host: '127.0.0.1:8080', ...headers },
  })
  return { status: answer.statusCode, body: answer.json() }
}

test('another vendor has another header for its keys, and the usual one means nothing there', async () => {
  assert.equal((await list({ 'x-acme-api-key': key })).status, 200)
  assert.equal((await list({ 'x-goog-api-key': key })).status, 403)
})

test('another vendor names itself in the details of errors', async () => {
  const { error } = Object((await list({ 'x-acme-api-key': 'of-nobody' })).body)
  assert.deepEqual(
    [error.details[0].domain, error.details[0].metadata.service],
    ['acme', 'generativelanguage.acme'],
  )
})

test('a key in the URL is refused where that is switched off', async () => {
  assert.equal((await list({}, `?key=${key}`)).status, 400)
  assert.equal((await list({ 'x-acme-api-key': key }, `?key=${key}`)).status, 400)
})

test('the scopes of the API begin as configured', async () => {
  for (const [scope, status] of [
    ['https://www.googleapis.com/auth/cloud-platform', 403],
    ['https://scopes.acme.example/auth/cloud-platform', 200],
    ['https://scopes.acme.example/auth/generative-language', 200],
  ] as const) {
    const made = await keys.create({ name: 'test', principal: 'test', scopes: [scope] })
    assert.equal((await list({ 'x-acme-api-key': made.key })).status, status, scope)
  }
})
