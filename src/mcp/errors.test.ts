import assert from 'node:assert/strict'
import { test } from 'node:test'
import { open, plainServer } from '../../test/serving/plain-server.ts'
import { Failure } from '../failure/failure.ts'
import { useErrorRenderer } from '../http/error-boundary.ts'
import { createErrorRenderer } from './errors.ts'

/** The challenges of the answer to a failure with this reason. */
async function challengesOf(reason: string): Promise<unknown> {
  const { server } = plainServer()
  const render = createErrorRenderer({
    resourceMetadata: 'https://a.example/metadata',
    initialScopes: () => [],
    report: () => undefined,
  })
  server.register(
    (scope, _settings, done) => {
      useErrorRenderer(scope, render)
      scope.decorateRequest('exchange', null)
      scope.get('', open, () => {
        throw new Failure('unauthenticated', 'no good', { reason })
      })
      done()
    },
    { prefix: '/mcp' },
  )
  return (await server.inject('/mcp')).headers['www-authenticate']
}

const bearer =
  'Bearer resource_metadata="https://a.example/metadata", error="invalid_token", error_description="no good"'
const algs = 'algs="ES256 ES384 EdDSA Ed25519 PS256 RS256"'

for (const [reason, expected] of [
  ['invalid_token', bearer],
  ['invalid_dpop_proof', [bearer, `DPoP error="invalid_dpop_proof", ${algs}`]],
  ['dpop_required', [bearer, `DPoP error="invalid_token", ${algs}`]],
] as const)
  test(`a refusal for ${reason} says whether the token or the proof is the trouble`, async () => {
    assert.deepEqual(await challengesOf(reason), expected)
  })
