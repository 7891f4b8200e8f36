import type { FastifyRequest, FastifySchemaValidationError } from 'fastify'
import { Failure, type FailureCode } from '../failure/failure.ts'

/** What Fastify or a handler threw, as the one error type; the unknown becomes `internal` and keeps its cause. */
export function asFailure(error: unknown, request: FastifyRequest): Failure {
  if (error instanceof Failure) return error
  if (hasValidation(error)) return invalidField(error)
  const row = frameworkErrors.get(codeOf(error))
  if (row !== undefined) return new Failure(row[0], row[1](request))
  if (isCutOff(error, request))
    return new Failure('invalid-request', 'the body ended too early', { cause: error })
  return new Failure('internal', 'unexpected error', { cause: error })
}

type Row = readonly [FailureCode, (request: FastifyRequest) => string]

const frameworkErrors: ReadonlyMap<unknown, Row> = new Map<string, Row>([
  [
    'FST_ERR_CTP_BODY_TOO_LARGE',
    ['too-large', ({ routeOptions }) => `the body may have at most ${routeOptions.bodyLimit} bytes`],
  ],
  [
    'FST_ERR_CTP_INVALID_MEDIA_TYPE',
    ['unsupported-media', () => 'the body must come with content-type application/json'],
  ],
  [
    'FST_ERR_CTP_INVALID_JSON_BODY',
    ['invalid-request', () => 'the body must be JSON, without the keys __proto__ and constructor.prototype'],
  ],
  [
    'FST_ERR_CTP_EMPTY_JSON_BODY',
    ['invalid-request', () => 'the body is empty; send JSON, or no content-type'],
  ],
  [
    'FST_ERR_CTP_INVALID_CONTENT_LENGTH',
    ['invalid-request', () => 'the body is not as long as content-length says'],
  ],
  ['FST_ERR_ROUTE_MISSING_CONTENT_TYPE', ['invalid-request', () => 'content-type is missing']],
  [
    'FST_ERR_BAD_URL',
    ['invalid-request', () => 'the request target must be a path with valid percent-encoding'],
  ],
  ['FST_ERR_MAX_PARAM_LENGTH', ['invalid-request', () => 'a segment of the path is too long']],
])

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

/** The caller went away while its body was being read; the same code from an upstream is our problem, not theirs. */
function isCutOff(error: unknown, request: FastifyRequest): boolean {
  return codeOf(error) === 'ECONNRESET' && request.raw.destroyed && !request.raw.complete
}

function hasValidation(error: unknown): error is Error & { validation: FastifySchemaValidationError[] } {
  return error instanceof Error && 'validation' in error && Array.isArray(error.validation)
}

function invalidField(error: Error & { validation: FastifySchemaValidationError[] }): Failure {
  const first = error.validation[0]
  const missing = first?.params.missingProperty
  const path = first === undefined ? '' : first.instancePath.slice(1).replaceAll('/', '.')
  const field = typeof missing === 'string' ? [path, missing].filter(Boolean).join('.') : path
  return new Failure('invalid-request', error.message, field === '' ? {} : { field })
}
