import { refusal } from './machine-answer.ts'
import { type Fields, readFields, requireField, requireToken } from './machine-fields.ts'
import type { Exchange } from './route.ts'

/** What a token exchange asks for (RFC 8693, section 2.1). */
export interface ExchangeRequest {
  readonly subjectToken: string
  readonly audience: string
  readonly scope: string | undefined
  readonly resource: string | undefined
}

export const accessTokenType = 'urn:ietf:params:oauth:token-type:access_token'

export function readExchange({ request, form, body }: Exchange): ExchangeRequest {
  const isJson = jsonType.test(request.headers['content-type'] ?? '')
  const fields = readFields(isJson ? jsonFields(body.toString()) : form)
  checkKinds(fields)
  return {
    subjectToken: requireToken(fields, 'subject_token'),
    audience: requireField(fields, 'audience'),
    scope: fields.get('scope'),
    resource: fields.get('resource'),
  }
}

const exchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange'
const subjectTokenTypes: readonly string[] = [
  'urn:ietf:params:oauth:token-type:jwt',
  'urn:ietf:params:oauth:token-type:id_token',
]

function checkKinds(fields: Fields): void {
  if (requireField(fields, 'grant_type') !== exchangeGrant) {
    throw refusal('unsupported_grant_type', `grant_type must be ${exchangeGrant} here`)
  }
  if ((fields.get('requested_token_type') ?? accessTokenType) !== accessTokenType) {
    throw refusal('invalid_request', `requested_token_type must be ${accessTokenType}`)
  }
  if (!subjectTokenTypes.includes(requireField(fields, 'subject_token_type'))) {
    throw refusal('invalid_request', `subject_token_type must be ${subjectTokenTypes.join(' or ')}`)
  }
  if (fields.has('actor_token') || fields.has('actor_token_type')) {
    throw refusal('invalid_request', 'an actor_token is not taken: nobody can act for another here')
  }
}

const jsonType = /^application\/json\s*(?:;|$)/i

function jsonFields(text: string): readonly (readonly [string, string])[] {
  return Object.entries(parseObject(text)).map(([name, value]) => {
    if (typeof value === 'string') return [snakeCase(name), value]
    throw refusal('invalid_request', 'every member of the body must be a text')
  })
}

function parseObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch (cause) {
    throw refusal('invalid_request', 'the body is not JSON', cause)
  }
  throw refusal('invalid_request', 'the body must be a JSON object')
}

/** Google's own endpoint takes `subjectToken` as well, as the JSON of protocol buffers is written. */
function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
