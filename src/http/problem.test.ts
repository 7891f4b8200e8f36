import assert from 'node:assert/strict'
import { test } from 'node:test'
import { open, plainServer } from '../../test/serving/plain-server.ts'
import { Failure, type FailureCode } from '../failure/failure.ts'

const statuses: Readonly<Record<FailureCode, number>> = {
  'invalid-request': 400,
  unauthenticated: 401,
  forbidden: 403,
  'not-found': 404,
  'not-allowed': 405,
  conflict: 409,
  'too-large': 413,
  'unsupported-media': 415,
  misdirected: 421,
  'limit-exceeded': 429,
  unavailable: 503,
  timeout: 504,
  misconfigured: 500,
  internal: 500,
}

async function answerTo(
  failure: Failure,
): Promise<{ status: number; type: unknown; body: Record<string, unknown> }> {
  const { server } = plainServer()
  server.get('/', open, () => {
    throw failure
  })
  const response = await server.inject('/')
  return { status: response.statusCode, type: response.headers['content-type'], body: response.json() }
}

for (const [code, status] of Object.entries(statuses))
  test(`a failure with code ${code} is answered with ${status} as application/problem+json`, async () => {
    const answer = await answerTo(new Failure(isFailureCode(code) ? code : 'internal', 'the message'))
    assert.equal(answer.status, status)
    assert.equal(answer.type, 'application/problem+json')
    assert.equal(answer.body.status, status)
    assert.equal(answer.body.type, 'about:blank')
    assert.equal(typeof answer.body.title, 'string')
  })

const pagingFailures = [
  ['invalid_cursor', 'cursor', 'restart'],
  ['cursor_expired', 'cursor', 'restart'],
  ['cursor_mismatch', 'pageToken', 'restart'],
  ['invalid_limit', 'limit', 'fix_request'],
  ['invalid_offset', 'offset', 'fix_request'],
] as const

for (const [reason, field, recovery] of pagingFailures)
  test(`a list request refused with ${reason} is a 400 whose code, field and recovery say so`, async () => {
    const failure = new Failure('invalid-request', 'what to do', { reason, field, recovery })
    const { status, body } = await answerTo(failure)
    assert.equal(status, 400)
    assert.deepEqual(
      [body.code, body.field, body.recovery, body.detail],
      [reason, field, recovery, 'what to do'],
    )
  })

test('a problem carries the id that the x-request-id header answers', async () => {
  const { server } = plainServer()
  const response = await server.inject({ url: '/nowhere', headers: { 'x-request-id': 'from-the-caller' } })
  assert.equal(response.headers['x-request-id'], 'from-the-caller')
  assert.equal(response.json().request_id, 'from-the-caller')
})

test('what a failure does not say is left out of the problem', async () => {
  const { body } = await answerTo(new Failure('conflict', 'the name is taken'))
  assert.deepEqual(Object.keys(body), ['type', 'title', 'status', 'detail', 'request_id'])
})

for (const code of ['internal', 'misconfigured'] as const)
  test(`the message of a failure with code ${code} stays inside`, async () => {
    const { body } = await answerTo(new Failure(code, 'store: /var/lib/postern is full'))
    assert.doesNotMatch(JSON.stringify(body), /postern|full/)
  })

function isFailureCode(code: string): code is FailureCode {
  return code in statuses
}

test('a failure that knows when to try again says so in whole seconds', async () => {
  const { server } = plainServer()
  server.get('/:seconds', open, (request) => {
    const { seconds } = Object(request.params)
    throw new Failure('limit-exceeded', 'too many', { retryAfterSeconds: Number(seconds) })
  })
  for (const [seconds, header] of [
    ['0.2', '1'],
    ['36', '36'],
    ['36.001', '37'],
  ] as const)
    assert.equal((await server.inject(`/${seconds}`)).headers['retry-after'], header)
})
