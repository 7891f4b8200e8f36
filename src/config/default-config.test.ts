import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseConfig } from './parse-config.ts'

test('an empty file is a whole configuration', () => {
  const expected = {
    server: {
      host: '127.0.0.1',
      port: 8080,
      opsPort: 8082,
      allowedOrigins: [],
      allowedHosts: [],
      trustedProxies: [],
      workers: 1,
      bodyLimitBytes: 4 * 1024 * 1024,
      bodyBudgetBytes: 268_435_456,
      headersTimeoutSeconds: 10,
      requestTimeoutSeconds: 60,
      keepAliveTimeoutSeconds: 72,
      shutdownSeconds: 30,
      publicUrl: 'http://127.0.0.1:8080',
    },
    store: 'sqlite:./data/postern.db',
    issuers: [],
    authority: {
      host: '127.0.0.1',
      port: 8081,
      accessTokenSeconds: 600,
      refreshTokenDays: 30,
      sessionHours: 12,
      opaqueResources: [],
      scopes: {},
      clients: [],
      registration: true,
      clientDocuments: true,
      allowPrivate: false,
      localUsers: true,
      workloads: [],
      trustedProxies: [],
      issuer: 'http://127.0.0.1:8081',
    },
    scopeBase: 'https://www.googleapis.com/auth',
    tools: {
      pageSize: 1000,
      listOnlyCallable: false,
      timeoutSeconds: 60,
      outputLimitBytes: 1_048_576,
      concurrencyPerPrincipal: 32,
      initialScopes: [],
      scopeIncludes: {},
      sources: [],
    },
    vendor: 'goog',
    apiKeys: { inQuery: true },
    models: [],
    aliases: {},
    paging: { keys: [], ttlHours: 72 },
    limits: {
      perPrincipalPerMinute: 600,
      perPrincipal: {},
      perKey: {},
      tools: {},
      models: {},
      whenSharedFails: 'refuse',
    },
    audit: {
      durability: 'grouped',
      spool: './data/spool',
      spoolLimitMegabytes: 256,
      retentionDays: 90,
      retentionMegabytes: 10_240,
    },
    log: { level: 'info' },
  }
  for (const text of ['', '# only a comment\n', '{}', 'null', 'server:\nissuers:\n'])
    assert.deepEqual(parseConfig(text, { file: 'empty.yaml', env: {} }), expected)
})
