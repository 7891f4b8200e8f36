import type { Failure } from '../failure/failure.ts'
import { type FailedCall, isVertex, methodName } from './errors-method.ts'
import { type WireDetail, WireFailure } from './wire-failure.ts'

/** HTTP status and its name in `google.rpc.Code`. */
type Status = readonly [code: number, name: string]

export interface Told {
  readonly failure: Failure
  readonly call: FailedCall
  /** The service and the domain that details name. */
  readonly service: string
  readonly domain: string
}

/** One case of the API's own errors. */
export interface Row {
  readonly status: Status
  /** The failure's own message unless set. */
  readonly message?: (told: Told) => string
  readonly details?: (told: Told) => readonly WireDetail[]
}

const invalidArgument: Status = [400, 'INVALID_ARGUMENT']
const unauthenticated: Status = [401, 'UNAUTHENTICATED']
const permissionDenied: Status = [403, 'PERMISSION_DENIED']
const notFound: Status = [404, 'NOT_FOUND']

const badCredentials =
  'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.'

const nobody: Row = {
  status: permissionDenied,
  message: () =>
    "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
}

const invalidToken: Row = { status: unauthenticated, message: () => badCredentials }

const unknownModel: Row = { status: notFound, message: missingModel }

/** Reasons first: most of the API's errors are more than the kind of the failure says. */
export const rowsByReason: ReadonlyMap<string, Row> = new Map<string, Row>([
  ['no_credential', nobody],
  ['missing_token', nobody],
  ['api_key_invalid', badKey('API key not valid. Please pass a valid API key.')],
  ['api_key_revoked', badKey('API Key not found. Please pass a valid API key.')],
  ['api_key_expired', badKey('API key expired. Please renew the API key.')],
  ['api_key_address_blocked', blockedAddress()],
  ['api_key_address_unknown', unknownAddress()],
  ['model_not_allowed', blockedModel()],
  [
    'multiple_credentials',
    {
      status: invalidArgument,
      message: () => 'Multiple authentication credentials received. Please pass only one.',
    },
  ],
  // The API names no domain here.
  ['token_type_unsupported', withInfo(invalidToken, 'ACCESS_TOKEN_TYPE_UNSUPPORTED', 'no domain')],
  ['token_invalid', invalidToken],
  ['invalid_token', invalidToken],
  ['token_expired', withInfo(invalidToken, 'ACCESS_TOKEN_EXPIRED')],
  ['jwt_invalid', withInfo(invalidToken, 'JWT_TOKEN_INVALID')],
  [
    'insufficient_scope',
    withInfo(
      { status: permissionDenied, message: () => 'Request had insufficient authentication scopes.' },
      'ACCESS_TOKEN_SCOPE_INSUFFICIENT',
    ),
  ],
  [
    'key_not_supported',
    withInfo(
      {
        status: unauthenticated,
        message: () =>
          'API keys are not supported by this API. Expected OAuth2 access token or other authentication credentials that assert a principal. See https://cloud.google.com/docs/authentication',
      },
      'CREDENTIALS_MISSING',
    ),
  ],
  ['model_not_found', unknownModel],
  ['operation_unsupported', unknownModel],
  ['unknown_operation', { status: notFound, message: () => 'Method not found.' }],
  ['unimplemented', { status: [501, 'UNIMPLEMENTED'] }],
  ['already_exists', { status: [409, 'ALREADY_EXISTS'] }],
  ['failed_precondition', { status: [400, 'FAILED_PRECONDITION'] }],
  ['out_of_range', { status: [400, 'OUT_OF_RANGE'] }],
  ['cancelled', { status: [499, 'CANCELLED'], message: () => 'The operation was cancelled.' }],
  [
    'overloaded',
    {
      status: [503, 'UNAVAILABLE'],
      message: () => 'The model is overloaded. Please try again later.',
    },
  ],
  [
    'quota',
    {
      status: [429, 'RESOURCE_EXHAUSTED'],
      message: ({ failure }) =>
        `You exceeded your current quota, please check your plan and billing details. ${failure.message}`,
      details: ({ failure }) => [quotaFailure(failure), ...retryInfo(failure)],
    },
  ],
])

/** What is said to everybody who is refused for their token, whatever is wrong with it. */
export const unnamedToken: Row = invalidToken

/** Nothing of ours leaves the process; the id leads to our log. */
export const internal: Row = {
  status: [500, 'INTERNAL'],
  message: () => 'An internal error has occurred. Please retry.',
  details: ({ call }) =>
    call.requestId === undefined
      ? []
      : [{ '@type': 'type.googleapis.com/google.rpc.RequestInfo', requestId: call.requestId }],
}

export const exhausted: Row = {
  status: [429, 'RESOURCE_EXHAUSTED'],
  message: ({ failure }) =>
    failure.reason === undefined && !(failure instanceof WireFailure)
      ? 'Resource has been exhausted (e.g. check quota).'
      : failure.message,
  details: ({ failure }) => retryInfo(failure),
}

export const unavailable: Row = {
  status: [503, 'UNAVAILABLE'],
  details: ({ failure }) => (failure.retryAfterSeconds === undefined ? [] : retryInfo(failure)),
}

function quotaFailure({ message }: Failure): WireDetail {
  return { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [{ description: message }] }
}

/** A duration in JSON: seconds with a fraction. Who comes back too early is refused again, so it is rounded up. */
function retryInfo({ retryAfterSeconds = 1 }: Failure): readonly WireDetail[] {
  const seconds = Math.ceil(retryAfterSeconds * 1000) / 1000
  return [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${seconds}s` }]
}

function badKey(message: string): Row {
  return {
    status: invalidArgument,
    message: () => message,
    details: ({ domain, service }) => [
      errorInfo('API_KEY_INVALID', { domain, metadata: { service } }),
      { '@type': 'type.googleapis.com/google.rpc.LocalizedMessage', locale: 'en-US', message },
    ],
  }
}

function blockedAddress(): Row {
  return {
    status: permissionDenied,
    message: ({ call: { from } }) =>
      `The provided API key has an IP address restriction. The originating IP address of the call${from === undefined ? '' : ` (${from().address})`} violates this restriction.`,
    details: ({ domain, service, call: { from } }) => [
      errorInfo('API_KEY_IP_ADDRESS_BLOCKED', {
        domain,
        metadata: { service, ...(from === undefined ? {} : { callerIp: from().address }) },
      }),
    ],
  }
}

/** The message is for the operator: the caller can do nothing about it. */
function unknownAddress(): Row {
  return {
    status: permissionDenied,
    details: ({ domain, service }) => [
      errorInfo('API_KEY_IP_ADDRESS_BLOCKED', { domain, metadata: { service } }),
    ],
  }
}

/** The API can only say that a method is blocked for a key; which model is meant stands behind it. */
function blockedModel(): Row {
  return {
    status: permissionDenied,
    message: ({ service, call }) => {
      const method = methodName(call)
      const which = call.resource === undefined ? '' : ` The API key may not call ${call.resource}.`
      return `Requests to this API ${service}${method === undefined ? '' : ` method ${method}`} are blocked.${which}`
    },
    details: ({ domain, service, call }) => {
      const method = methodName(call)
      const metadata = { service, ...(method === undefined ? {} : { methodName: method }) }
      return [errorInfo('API_KEY_SERVICE_BLOCKED', { domain, metadata })]
    },
  }
}

function withInfo(row: Row, reason: string, form: 'with domain' | 'no domain' = 'with domain'): Row {
  return {
    ...row,
    details: ({ domain, service, call }) => {
      const method = methodName(call)
      const metadata = { service, ...(method === undefined ? {} : { method }) }
      return [errorInfo(reason, form === 'no domain' ? { metadata } : { domain, metadata })]
    },
  }
}

function errorInfo(
  reason: string,
  rest: { readonly domain?: string; readonly metadata: Readonly<Record<string, string>> },
): WireDetail {
  return { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, ...rest }
}

function missingModel({ call }: Told): string {
  const { resource = 'models/unknown', version = 'v1beta', operation = 'generateContent' } = call
  if (isVertex(call)) return `Publisher Model \`${resource}\` not found.`
  if (operation === 'getModel') return `Model is not found: ${resource} for api version ${version}`
  return `${resource} is not found for API version ${version}, or is not supported for ${operation}. Call ListModels to see the list of available models and their supported methods.`
}
