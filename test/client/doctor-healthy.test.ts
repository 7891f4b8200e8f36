import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:https'
import { test } from 'node:test'
import { type Diagnosis, diagnose } from '../../src/client/doctor/diagnose.ts'
import { loopbackRedirect } from '../../src/client/node/loopback-redirect.ts'
import { createOAuth } from '../../src/client/oauth/create-oauth.ts'
import { memoryStore } from '../../src/client/oauth/memory-store.ts'
import { selfSignedCertificate } from '../authorization-server/self-signed-certificate.ts'
import { startNoteServers } from '../conformance/note-servers.ts'
import { answerJson, startPatient } from './doctor-servers.ts'
import { startExampleServer } from './example-server.ts'

test('a sound server with a sound token is healthy, and every check says so', async () => {
  await using patient = await startPatient()
  const diagnosis = await diagnose(patient.resource, { token: await patient.token() })
  assert.deepEqual(
    diagnosis.checks.map(({ name, state }) => [name, state]),
    [
      ['reach', 'ok'],
      ['challenge', 'ok'],
      ['resource metadata', 'ok'],
      ['resource', 'ok'],
      ['authorization server', 'ok'],
      ['issuer', 'ok'],
      ['key set', 'ok'],
      ['PKCE', 'ok'],
      ['endpoints', 'ok'],
      ['client registration', 'ok'],
      ['clock', 'ok'],
      ['call', 'ok'],
      ['token', 'ok'],
      ['token issuer', 'ok'],
      ['signature', 'ok'],
      ['audience', 'ok'],
      ['lifetime', 'ok'],
      ['scope', 'ok'],
    ],
  )
  assert.deepEqual([diagnosis.isHealthy, diagnosis.next], [true, 'Nothing: all is well.'])
})

test('without a token nothing is called with one, and the next step is to sign in', async () => {
  await using patient = await startPatient()
  const { isHealthy, next, signIn } = await diagnose(patient.resource)
  assert.deepEqual([isHealthy, signIn, patient.credentials], [true, {}, []])
  assert.match(next, /^Sign in, and look again/)
})

test('a token that a server accepts is not called wrong, whatever its audience is called', async () => {
  await using patient = await startPatient()
  patient.audience = 'api://notes'
  const diagnosis = await diagnose(patient.resource, { token: await patient.token({ aud: 'api://notes' }) })
  assertHealthy(diagnosis)
  assert.match(detailOf(diagnosis, 'audience'), /^The token is for api:\/\/notes.*; but the server takes it$/)
})

test('a server that greets everybody is asked for its tools, and its challenge to that is the one that counts', async () => {
  await using patient = await startPatient()
  patient.greetsAll = true
  const diagnosis = await diagnose(patient.resource)
  assertHealthy(diagnosis)
  assert.match(detailOf(diagnosis, 'challenge'), /^401, metadata at http:/)
})

test('a server that wants no token at all is healthy without one', async () => {
  await using patient = await startPatient()
  patient.isOpen = true
  for (const path of ['', '/mcp'])
    patient.broken.set(`/.well-known/oauth-protected-resource${path}`, (_, response) =>
      answerJson(response, {}, 404),
    )
  const diagnosis = await diagnose(patient.resource)
  assertHealthy(diagnosis)
  assert.match(detailOf(diagnosis, 'call'), /^tools\/list in revision 2025-11-25: 1 tool$/)
  assert.equal(diagnosis.next, 'Nothing: all is well.')
})

test('a token that is bound to a key is not sent without a proof', async () => {
  await using patient = await startPatient()
  const token = await patient.token({ cnf: { jkt: 'thumbprint' } })
  const { checks } = await diagnose(patient.resource, { token })
  assert.equal(checks.find(({ name }) => name === 'call')?.state, 'skipped')
  assert.deepEqual(patient.credentials, [])
})

test('over plain http to another machine a token is never sent', async () => {
  await using patient = await startPatient()
  const { pathname, port } = new URL(patient.resource)
  const url = `http://tools.example:${port}${pathname}`
  const toPatient: typeof fetch = (_, init) => fetch(patient.resource, init)
  const { cause } = await diagnose(url, { token: await patient.token(), fetch: toPatient })
  assert.deepEqual([cause, patient.credentials], ['plain_http', []])
})

test('a certificate that nobody vouches for, a port where nobody listens and one without TLS are told apart', async () => {
  await using patient = await startPatient()
  const { key, certificate } = selfSignedCertificate()
  const server = createServer({ key, cert: certificate }, (_, response) => answerJson(response, {}))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const causeOf = async (url: string): Promise<string | undefined> => (await diagnose(url)).cause
  assert.equal(await causeOf(`https://127.0.0.1:${port}/mcp`), 'certificate_untrusted')
  assert.equal(await causeOf(patient.resource.replace('http:', 'https:')), 'no_tls')
  server.close()
  await once(server, 'close')
  assert.equal(await causeOf(`http://127.0.0.1:${port}/mcp`), 'connection_refused')
})

test("the official SDK's example server with its own issuer is healthy, with a token and without", async () => {
  await using example = await startExampleServer()
  assertHealthy(await diagnose(example.url))
  const redirect = loopbackRedirect({ show: async (page) => void (await fetch(page)) })
  const oauth = createOAuth({ resource: example.url, store: memoryStore(), redirect })
  const { accessToken } = await oauth.signIn()
  const diagnosis = await diagnose(example.url, { token: accessToken })
  assertHealthy(diagnosis)
  assert.match(detailOf(diagnosis, 'call'), /^tools\/list in revision 2025-11-25: \d+ tools/)
})

test('a gateway of ours with oidc-provider is healthy, in both eras, with a signed and with an opaque token', async () => {
  const servers = await startNoteServers()
  try {
    for (const resource of [servers.signed, servers.opaque]) {
      const token = await servers.issuer.machineToken(resource, ['notes:read'])
      const diagnosis = await diagnose(resource, { token })
      assertHealthy(diagnosis)
      assert.match(detailOf(diagnosis, 'call'), /revision 2026-07-28/)
      assert.match(detailOf(diagnosis, 'call, older revision'), /revision 2025-11-25/)
    }
  } finally {
    await servers.stop()
  }
})

function assertHealthy({ isHealthy, checks }: Diagnosis): void {
  const failed = checks.filter(({ state }) => state === 'failed')
  assert.deepEqual([isHealthy, failed], [true, []])
}

function detailOf({ checks }: Diagnosis, name: string): string {
  return checks.find((check) => check.name === name)?.detail ?? ''
}
