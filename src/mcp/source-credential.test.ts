import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { legacy, modern } from '../../test/mcp/messages.ts'
import { startRecordingApi } from '../../test/mcp/recording-api.ts'
import { serveTools } from '../../test/mcp/tool-server.ts'
import { startUpstream } from '../../test/mcp/upstream-server.ts'
import { parseConfig } from '../config/parse-config.ts'
import { createLog } from '../log/log.ts'
import { openSources } from './open-sources.ts'
import { credentialHeader } from './source-credential.ts'

test('a credential is a bearer token, or stands in the header that is named, or is not sent', () => {
  assert.deepEqual(credentialHeader({ credential: 'c' }), { authorization: 'Bearer c' })
  assert.deepEqual(credentialHeader({ credential: 'c', header: 'X-Key' }), { 'x-key': 'c' })
  assert.deepEqual(credentialHeader({ header: 'X-Key' }), {})
})

for (const credential of ['', ', credential: own-credential']) {
  const what = credential === '' ? 'without a credential' : 'with its own credential'
  test(`nothing that a caller sends but the arguments reaches a source ${what}`, async (t) => {
    const upstream = await startUpstream()
    const api = await startRecordingApi()
    const directory = await mkdtemp(join(tmpdir(), 'postern-credential-'))
    const paths = { '/a': { get: { operationId: 'getA' } } }
    await writeFile(join(directory, 'api.json'), JSON.stringify({ openapi: '3.1.0', paths }))
    const config = parseConfig(
      `tools:
  sources:
    - { kind: mcp, name: docs, url: "${upstream.url}", allowPrivate: true, scopes: { "*": [] }${credential} }
    - { kind: openapi, name: shop, spec: api.json, baseUrl: "${api.url}", allowPrivate: true, scopes: { "*": [] }${credential} }`,
      { file: 'postern.yaml', env: {} },
    )
    const opened = await openSources(config.tools, {
      log: createLog({ level: 'silent' }),
      directory,
      models: undefined,
    })
    const { server, post } = serveTools({
      sources: opened.map((source) => ({ source, scopes: { '*': [] } })),
    })
    t.after(async () => {
      await server.close()
      await Promise.all(opened.map((source) => source.close()))
      await Promise.all([upstream.stop(), api.close(), rm(directory, { recursive: true })])
    })
    const options = {
      token: 'token-of-the-caller',
      headers: { cookie: 'from=the-caller', 'x-from': 'of-the-caller' },
    }
    for (const name of ['docs_echo', 'shop_getA']) {
      for (const era of [modern, legacy]) {
        const sent = era('tools/call', { name, arguments: {} }, options)
        const answer = await post(sent.body, sent.options)
        assert.equal(answer.statusCode, 200)
        assert.equal(answer.json().result.isError, undefined)
      }
    }
    const arrived = [...upstream.requests, ...api.requests].map(({ headers, body }) => ({
      headers: headers instanceof Map ? Object.fromEntries(headers) : headers,
      body,
    }))
    assert.ok(arrived.length >= 6)
    assert.doesNotMatch(JSON.stringify(arrived), /of-the-caller|the-caller|https:\/\/login\.example/)
    const expected = credential === '' ? undefined : 'Bearer own-credential'
    assert.ok(arrived.every(({ headers }) => headers.authorization === expected))
  })
}
