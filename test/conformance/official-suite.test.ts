import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { parse } from 'yaml'
import { startAuthorizationServer } from '../authorization-server/authorization-server.ts'
import { freeAddress, startGateway } from './gateway-process.ts'
import { baselineFile, runSuite } from './suite-run.ts'
import { startTokenProxy } from './token-proxy.ts'

const scopes = ['conformance:call']
const address = await freeAddress()
const issuer = await startAuthorizationServer({ resources: { [address.resource]: 'jwt' }, scopes })
after(() => issuer.stop())
const gateway = await startGateway(address, { issuer, validate: 'jwt', tools: 'fixture-tools.ts' })
after(() => gateway.stop())
const token = await issuer.machineToken(address.resource, scopes)
const proxy = await startTokenProxy({ port: address.port, token })
after(() => proxy.stop())

/** Run and reported by the suite but not scored; those that a server of tools can pass have to pass all the same. */
const unscored = {
  '2025-11-25': ['json-schema-2020-12', 'server-session-lifecycle'],
  '2026-07-28': ['json-schema-2020-12', 'http-header-validation', 'http-custom-header-server-validation'],
} as const

for (const revision of ['2025-11-25', '2026-07-28'] as const)
  test(`the official suite of ${revision} finds what the baseline names and nothing else`, async () => {
    const run = await runSuite(proxy.url, revision)
    assert.equal(run.code, 0, `${run.out}\n${run.err}`)
    for (const scenario of unscored[revision]) assert.deepEqual(run.failures.get(scenario), [], scenario)
  })

test('docs/conformance.md gives a reason for every entry of a baseline, and for nothing else', () => {
  const page = readFileSync(new URL('../../docs/conformance.md', import.meta.url), 'utf8')
  for (const revision of ['2025-11-25', '2026-07-28']) {
    const baseline: { readonly server: readonly string[] } = parse(
      readFileSync(baselineFile(revision), 'utf8'),
    )
    const [, section = ''] = page.split(`### Not passed, ${revision}\n`)
    const reasons =
      section
        .split('\n### ')[0]
        ?.split('\n## ')[0]
        ?.matchAll(/^- (.+): \S.*$/gm) ?? []
    const named = [...reasons].flatMap(([, names = '']) =>
      [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => name),
    )
    assert.deepEqual(new Set(named), new Set(baseline.server), revision)
  }
})
