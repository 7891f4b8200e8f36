import assert from 'node:assert/strict'
import { test } from 'node:test'
import { modelResource, withToken } from '../../test/auth/caller-setting.ts'
import { startLocalIssuer } from '../../test/auth/local-issuer.ts'
import { createLog } from '../log/log.ts'
import { createIssuedCallers } from './caller-issued.ts'
import { openIssuers } from './issuers.ts'

test('only a token that was accepted is known, so that the next call need not look into it', async () => {
  const issuer = await startLocalIssuer({ audience: modelResource })
  const issuers = openIssuers({ issuers: [issuer.jwt()], log: createLog({ level: 'silent' }) })
  const callers = createIssuedCallers({ resource: modelResource, issuers, isRevoked: () => false })
  const show = async (id: string, text: string): Promise<unknown> =>
    callers.authenticate(
      id,
      { kind: 'token', scheme: 'bearer', text, header: `Bearer ${text}` },
      withToken(text),
    )
  await show('good', issuer.token())
  await assert.rejects(show('bad', issuer.token({ aud: 'https://other.example' })), {
    reason: 'token_invalid',
  })
  assert.deepEqual([callers.isKnown('good'), callers.isKnown('bad')], [true, false])
  assert.equal(callers.takesOpaqueTokens, false)
  await issuers.close()
  await issuer.stop()
})
