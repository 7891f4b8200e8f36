import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure, type FailureCode } from '../failure/failure.ts'
import { createErrorRenderer, createWireErrors, type ErrorBody } from './errors.ts'
import type { FailedCall } from './errors-method.ts'
import { badFields, invalidArgument } from './wire-failure.ts'

const options = {
  vendor: 'goog',
  service: 'generativelanguage.googleapis.com',
  scopeBase: 'https://www.googleapis.com/auth',
  realm: 'https://gate.example',
  resourceMetadata: 'https://gate.example/.well-known/oauth-protected-resource/v1beta',
} as const
const errors = createWireErrors(options)
const call: FailedCall = { operation: 'generateContent', version: 'v1beta', resource: 'models/tiny' }

const service = 'generativelanguage.googleapis.com'
const method = 'google.ai.generativelanguage.v1beta.GenerativeService.GenerateContent'
const badCredentials =
  'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.'

function info(reason: string, metadata: object, domain: object = { domain: 'googleapis.com' }): object {
  return { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, ...domain, metadata }
}

function localized(message: string): object {
  return { '@type': 'type.googleapis.com/google.rpc.LocalizedMessage', locale: 'en-US', message }
}

function keyRow(message: string): readonly [number, string, string, readonly object[]] {
  return [400, 'INVALID_ARGUMENT', message, [info('API_KEY_INVALID', { service }), localized(message)]]
}

type Expected = readonly [
  code: number,
  status: string,
  message: string,
  details?: readonly object[] | undefined,
]

const byReason: readonly (readonly [reason: string, code: FailureCode, expected: Expected])[] = [
  [
    'no_credential',
    'unauthenticated',
    [
      403,
      'PERMISSION_DENIED',
      "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
    ],
  ],
  ['api_key_invalid', 'unauthenticated', keyRow('API key not valid. Please pass a valid API key.')],
  ['api_key_revoked', 'unauthenticated', keyRow('API Key not found. Please pass a valid API key.')],
  ['api_key_expired', 'unauthenticated', keyRow('API key expired. Please renew the API key.')],
  [
    'api_key_address_blocked',
    'forbidden',
    [
      403,
      'PERMISSION_DENIED',
      'The provided API key has an IP address restriction. The originating IP address of the call (192.0.2.1) violates this restriction.',
      [info('API_KEY_IP_ADDRESS_BLOCKED', { service, callerIp: '192.0.2.1' })],
    ],
  ],
  [
    'api_key_address_unknown',
    'forbidden',
    [403, 'PERMISSION_DENIED', 'ours', [info('API_KEY_IP_ADDRESS_BLOCKED', { service })]],
  ],
  [
    'model_not_allowed',
    'forbidden',
    [
      403,
      'PERMISSION_DENIED',
      `Requests to this API ${service} method ${method} are blocked. The API key may not call models/tiny.`,
      [info('API_KEY_SERVICE_BLOCKED', { service, methodName: method })],
    ],
  ],
  [
    'multiple_credentials',
    'invalid-request',
    [400, 'INVALID_ARGUMENT', 'Multiple authentication credentials received. Please pass only one.'],
  ],
  [
    'token_type_unsupported',
    'unauthenticated',
    [
      401,
      'UNAUTHENTICATED',
      badCredentials,
      [info('ACCESS_TOKEN_TYPE_UNSUPPORTED', { service, method }, {})],
    ],
  ],
  ['token_invalid', 'unauthenticated', [401, 'UNAUTHENTICATED', badCredentials]],
  ['invalid_token', 'unauthenticated', [401, 'UNAUTHENTICATED', badCredentials]],
  [
    'token_expired',
    'unauthenticated',
    [401, 'UNAUTHENTICATED', badCredentials, [info('ACCESS_TOKEN_EXPIRED', { service, method })]],
  ],
  [
    'jwt_invalid',
    'unauthenticated',
    [401, 'UNAUTHENTICATED', badCredentials, [info('JWT_TOKEN_INVALID', { service, method })]],
  ],
  [
    'insufficient_scope',
    'forbidden',
    [
      403,
      'PERMISSION_DENIED',
      'Request had insufficient authentication scopes.',
      [info('ACCESS_TOKEN_SCOPE_INSUFFICIENT', { service, method })],
    ],
  ],
  [
    'key_not_supported',
    'unauthenticated',
    [
      401,
      'UNAUTHENTICATED',
      'API keys are not supported by this API. Expected OAuth2 access token or other authentication credentials that assert a principal. See https://cloud.google.com/docs/authentication',
      [info('CREDENTIALS_MISSING', { service, method })],
    ],
  ],
  [
    'model_not_found',
    'not-found',
    [
      404,
      'NOT_FOUND',
      'models/tiny is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods.',
    ],
  ],
  ['unknown_operation', 'not-found', [404, 'NOT_FOUND', 'Method not found.']],
  ['unimplemented', 'not-found', [501, 'UNIMPLEMENTED', 'ours']],
  ['already_exists', 'conflict', [409, 'ALREADY_EXISTS', 'ours']],
  ['failed_precondition', 'conflict', [400, 'FAILED_PRECONDITION', 'ours']],
  ['out_of_range', 'invalid-request', [400, 'OUT_OF_RANGE', 'ours']],
  ['cancelled', 'unavailable', [499, 'CANCELLED', 'The operation was cancelled.']],
  ['overloaded', 'unavailable', [503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.']],
]

for (const [reason, code, [status, name, message, details]] of byReason)
  test(`${reason} is answered as the API does`, () => {
    const failure = new Failure(code, 'ours', { reason })
    const answer = errors.answer(failure, { ...call, from: () => ({ address: '192.0.2.1' }) })
    assert.equal(answer.status, status)
    assert.equal(answer.type, 'application/json; charset=UTF-8')
    assert.deepEqual(JSON.parse(answer.body), expectedBody([status, name, message, details]))
  })

const byCode: readonly (readonly [FailureCode, Expected])[] = [
  ['invalid-request', [400, 'INVALID_ARGUMENT', 'ours']],
  ['unauthenticated', [401, 'UNAUTHENTICATED', badCredentials]],
  ['forbidden', [403, 'PERMISSION_DENIED', 'ours']],
  ['not-found', [404, 'NOT_FOUND', 'ours']],
  ['not-allowed', [405, 'UNIMPLEMENTED', 'ours']],
  ['conflict', [409, 'ABORTED', 'ours']],
  ['too-large', [400, 'INVALID_ARGUMENT', 'ours']],
  ['unsupported-media', [400, 'INVALID_ARGUMENT', 'ours']],
  ['misdirected', [421, 'FAILED_PRECONDITION', 'ours']],
  [
    'limit-exceeded',
    [
      429,
      'RESOURCE_EXHAUSTED',
      'Resource has been exhausted (e.g. check quota).',
      [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '1s' }],
    ],
  ],
  ['unavailable', [503, 'UNAVAILABLE', 'ours']],
  ['timeout', [504, 'DEADLINE_EXCEEDED', 'ours']],
  ['misconfigured', [500, 'INTERNAL', 'An internal error has occurred. Please retry.']],
  ['internal', [500, 'INTERNAL', 'An internal error has occurred. Please retry.']],
]

for (const [code, expected] of byCode)
  test(`${code} without a reason is ${expected[1]}`, () => {
    assert.deepEqual(errors.body(new Failure(code, 'ours'), call), expectedBody(expected))
  })

test('what failed inside says nothing but the id under which our log has it', () => {
  const failure = new Failure('internal', 'password of the database', { cause: new Error('secret') })
  const { body } = errors.answer(failure, { ...call, requestId: 'r1' })
  assert.doesNotMatch(body, /password|secret/)
  assert.deepEqual(JSON.parse(body).error.details, [
    { '@type': 'type.googleapis.com/google.rpc.RequestInfo', requestId: 'r1' },
  ])
})

test('unknown fields carry their violations', () => {
  const violations = [{ description: 'one' }, { field: 'a.b', description: 'two' }]
  assert.deepEqual(
    errors.body(badFields(violations), call),
    expectedBody([
      400,
      'INVALID_ARGUMENT',
      'one\ntwo',
      [{ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: violations }],
    ]),
  )
})

test('a semantic check has a message alone', () => {
  const message = '* GenerateContentRequest.contents: contents is not specified\n'
  assert.deepEqual(
    errors.body(invalidArgument(message), call),
    expectedBody([400, 'INVALID_ARGUMENT', message]),
  )
})

test('overload says when to come back', () => {
  const answer = errors.answer(new Failure('unavailable', 'ours', { reason: 'overloaded' }))
  assert.deepEqual(answer.headers, { 'retry-after': '1' })
})

test('a bad token is challenged with realm, metadata and what is wrong', () => {
  const answer = errors.answer(new Failure('unauthenticated', 'it "expired"', { reason: 'token_expired' }))
  assert.deepEqual(answer.headers, {
    'www-authenticate': `Bearer realm="https://gate.example", resource_metadata="${options.resourceMetadata}", error="invalid_token", error_description="it 'expired'"`,
  })
})

test('without an issuer there is no metadata to point at', () => {
  const { resourceMetadata: _, ...rest } = options
  const answer = createWireErrors(rest).answer(
    new Failure('forbidden', 'no', { reason: 'insufficient_scope' }),
  )
  assert.deepEqual(answer.headers, {
    'www-authenticate':
      'Bearer realm="https://gate.example", error="insufficient_scope", scope="https://www.googleapis.com/auth/cloud-platform"',
  })
})

test('who brings no credential is asked for one, without being told of an error', () => {
  const answer = errors.answer(new Failure('unauthenticated', 'no', { reason: 'no_credential' }))
  assert.deepEqual(answer.headers, {
    'www-authenticate': `Bearer realm="https://gate.example", resource_metadata="${options.resourceMetadata}"`,
  })
})

test('a bad key is no matter of tokens', () => {
  const answer = errors.answer(new Failure('unauthenticated', 'no', { reason: 'api_key_invalid' }))
  assert.equal(answer.headers, undefined)
})

test('a token bound to a key is asked for with both schemes', () => {
  const answer = errors.answer(new Failure('unauthenticated', 'no', { reason: 'dpop_required' }))
  const challenges = answer.headers?.['www-authenticate']
  assert.ok(Array.isArray(challenges))
  assert.match(String(challenges[1]), /^DPoP error="invalid_token", algs=".+"$/)
})

test('the connection of a body that is too large is closed', () => {
  assert.deepEqual(errors.answer(new Failure('too-large', 'big')).headers, { connection: 'close' })
})

test('a body is indented, and in a stream without SSE it stands in a list', () => {
  const failure = new Failure('forbidden', 'no')
  const object =
    '{\n  "error": {\n    "code": 403,\n    "message": "no",\n    "status": "PERMISSION_DENIED"\n  }\n}'
  assert.equal(errors.answer(failure).body, `${object}\n`)
  assert.equal(errors.answer(failure, { framing: 'sse' }).body, `${object}\n`)
  assert.equal(errors.answer(failure, { framing: 'array' }).body, `[${object}\n]\n`)
})

test('a renderer asks what was called and tells what was answered', () => {
  const seen: unknown[] = []
  const render = createErrorRenderer(errors, {
    callOf: () => ({ ...call, framing: 'array' }),
    onFailure: (failure, _request, status) => void seen.push([failure.reason, status]),
  })
  const failure = new Failure('not-found', 'no', { reason: 'model_not_found' })
  // The request is only handed on.
  const answer = Reflect.apply(render, undefined, [failure, {}])
  assert.match(answer.body, /^\[\{\n {2}"error"/)
  assert.deepEqual(seen, [['model_not_found', 404]])
})

function expectedBody([code, status, message, details]: Expected): ErrorBody | object {
  return { error: { code, message, status, ...(details === undefined ? {} : { details }) } }
}
