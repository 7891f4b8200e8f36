import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type LocalIssuer, startLocalIssuer } from '../../test/auth/local-issuer.ts'
import { createLocalKey } from '../../test/auth/local-key.ts'
import type { Workload } from './workload-binding.ts'
import { createWorkloadKeys, type WorkloadKeysOptions } from './workload-keys.ts'

const discovery = '/.well-known/openid-configuration'

async function startIssuer(context: TestContext): Promise<LocalIssuer> {
  const issuer = await startLocalIssuer({ audience: 'any' })
  issuer.serves = [discovery]
  context.after(issuer.stop)
  return issuer
}

function finder(
  { issuer }: LocalIssuer,
  options: Partial<WorkloadKeysOptions & Pick<Workload, 'jwksUri'>> = {},
): (kid: string) => Promise<unknown> {
  const { jwksUri } = options
  const keys = createWorkloadKeys({ allowPrivate: true, elapsed: () => 0, ...options })
  const workload = { issuer, audience: 'any', bindings: [], ...(jwksUri === undefined ? {} : { jwksUri }) }
  return async (kid) => keys.of(workload)({ alg: 'ES256', kid }, { payload: '', signature: '' })
}

const unavailable = { code: 'unavailable', reason: 'temporarily_unavailable' }

test('keys are found by discovery and then held', async (context) => {
  const issuer = await startIssuer(context)
  const find = finder(issuer)
  for (let count = 0; count < 5; count += 1) assert.ok(await find(issuer.key().kid))
  assert.deepEqual([issuer.requests.get(discovery), issuer.requests.get('/jwks')], [1, 1])
})

test('with a jwksUri nothing is discovered', async (context) => {
  const issuer = await startIssuer(context)
  assert.ok(await finder(issuer, { jwksUri: `${issuer.issuer}/jwks` })(issuer.key().kid))
  assert.equal(issuer.requests.get(discovery), undefined)
})

test('tokens of unknown keys do not make it fetch each time', async (context) => {
  const issuer = await startIssuer(context)
  const find = finder(issuer)
  for (let count = 0; count < 20; count += 1) {
    await assert.rejects(find(`unknown-${count}`), { code: 'ERR_JWKS_NO_MATCHING_KEY' })
  }
  assert.equal(issuer.requests.get('/jwks'), 1)
})

test('an issuer that fails is left alone for five seconds, and then asked again', async (context) => {
  const issuer = await startIssuer(context)
  let time = 0
  const find = finder(issuer, { elapsed: () => time })
  issuer.mode = 'error'
  for (let count = 0; count < 5; count += 1) await assert.rejects(find('any'), unavailable)
  assert.equal(issuer.count(), 1)
  issuer.mode = 'up'
  time = 4999
  await assert.rejects(find(issuer.key().kid), unavailable)
  time = 5000
  assert.ok(await find(issuer.key().kid))
})

for (const mode of ['down', 'garbage', 'redirect', 'endless'] as const) {
  test(`no keys are taken from an issuer that is ${mode}`, async (context) => {
    const issuer = await startIssuer(context)
    issuer.mode = mode
    await assert.rejects(finder(issuer)(issuer.key().kid), unavailable)
    assert.equal(issuer.count(), 1)
  })
}

test('a document beyond 256 kilobytes is not read to its end', async (context) => {
  const issuer = await startIssuer(context)
  issuer.metadata = { ...issuer.metadata, pad: 'x'.repeat(262_144) }
  await assert.rejects(finder(issuer)(issuer.key().kid), unavailable)
})

test('metadata of another issuer is not used', async (context) => {
  const issuer = await startIssuer(context)
  issuer.metadata = { ...issuer.metadata, issuer: `${issuer.issuer}/` }
  await assert.rejects(finder(issuer)(issuer.key().kid), unavailable)
  assert.equal(issuer.requests.get('/jwks'), undefined)
})

test('an issuer at a private address is not called unless that is allowed', async (context) => {
  const issuer = await startIssuer(context)
  await assert.rejects(finder(issuer, { allowPrivate: false })(issuer.key().kid), unavailable)
  assert.equal(issuer.count(), 0)
})

test('a key that is published later is found after the pause, and the others stay', async (context) => {
  context.mock.timers.enable({ apis: ['Date'], now: Date.now() })
  const issuer = await startIssuer(context)
  const find = finder(issuer)
  const [old] = issuer.keys
  assert.ok(old !== undefined && (await find(old.kid)))
  const fresh = createLocalKey()
  issuer.keys = [old, fresh]
  await assert.rejects(find(fresh.kid), { code: 'ERR_JWKS_NO_MATCHING_KEY' })
  context.mock.timers.tick(30_001)
  assert.ok(await find(fresh.kid))
})
