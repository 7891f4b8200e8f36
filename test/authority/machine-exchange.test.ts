import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { notes, startMachineAuthority } from './machine-authority.ts'
import { exchangeFields, payloadOf, postForm, postJson } from './machine-requests.ts'

const authority = await startMachineAuthority()
after(() => authority[Symbol.asyncDispose]())
const { audience, forge, robot, sibling, siblingAudience } = authority
const endpoint = `${authority.url}/v1/token`
const subject = { sub: 'repo:team/app:main' }

test('the token of a workload is exchanged for one of its service account', async () => {
  const { status, body } = await postForm(endpoint, exchangeFields(audience, forge.token(subject)))
  assert.equal(status, 200)
  const { access_token: token, ...rest } = body
  assert.deepEqual(rest, {
    token_type: 'Bearer',
    expires_in: 600,
    scope: 'notes:read',
    issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
  })
  const { sub, client_id, aud, iss } = payloadOf(token)
  assert.deepEqual([sub, client_id, aud, iss], [robot.client_email, robot.client_email, notes, authority.url])
})

test('the audience may be spelled with https:, in the request and in the token', async () => {
  const spelled = `https:${audience}`
  const fields = exchangeFields(spelled, forge.token({ ...subject, aud: spelled }))
  assert.equal((await postForm(endpoint, fields)).status, 200)
})

test('a JSON body with the names of protocol buffers is taken', async () => {
  const body = {
    grantType: 'urn:ietf:params:oauth:grant-type:token-exchange',
    audience,
    scope: 'notes:write',
    requestedTokenType: 'urn:ietf:params:oauth:token-type:access_token',
    subjectToken: forge.token(subject),
    subjectTokenType: 'urn:ietf:params:oauth:token-type:id_token',
    options: '%7B%22userProject%22%3A%22demo%22%7D',
  }
  const answer = await postJson(endpoint, JSON.stringify(body))
  assert.deepEqual([answer.status, answer.body.scope], [200, 'notes:write'])
})

test('a resource is taken by name, and an access token is what is meant when nothing else is', async () => {
  const { requested_token_type: _, ...fields } = exchangeFields(audience, forge.token(subject))
  assert.equal((await postForm(endpoint, { ...fields, resource: notes })).status, 200)
})

test('another issuer with keys of another kind has its own audience and bindings', async () => {
  const token = sibling.token({ sub: 'job' })
  assert.equal((await postForm(endpoint, exchangeFields(siblingAudience, token))).status, 200)
})

test('a service account that is disabled is not to be had by an exchange any more', async () => {
  const fields = exchangeFields(audience, forge.token({ sub: 'repo:team/off' }))
  const before = await postForm(endpoint, fields)
  const place = { universeDomain: 'postern.example', tokenUri: endpoint }
  const off = await authority.accounts.create({
    ...place,
    name: 'off',
    project: 'demo',
    scopes: ['notes:read'],
  })
  const during = await postForm(endpoint, fields)
  await authority.accounts.disable(off.client_email)
  const afterwards = await postForm(endpoint, fields)
  assert.deepEqual([before.status, during.status, afterwards.status], [400, 200, 400])
  assert.deepEqual(afterwards.body, before.body)
})

test('an issuer that does not answer is told apart from a bad token', async () => {
  await using apart = await startMachineAuthority()
  apart.forge.mode = 'error'
  const fields = exchangeFields(apart.audience, apart.forge.token(subject))
  const { status, body } = await postForm(`${apart.url}/v1/token`, fields)
  assert.deepEqual([status, body.error], [503, 'temporarily_unavailable'])
})
