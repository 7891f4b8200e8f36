import type { TObject } from 'typebox'
import { Compile } from 'typebox/compile'
import { nearestText } from '../config/nearest-text.ts'
import { Failure } from '../failure/failure.ts'
import type { AdminCall, Operation } from './operation.ts'
import { rowIdPattern } from './schema-parts.ts'

type CheckedRequest = Pick<AdminCall<unknown>, 'id' | 'kid' | 'query' | 'lastEventId' | 'body'>

interface GivenRequest {
  readonly headers: Readonly<Record<string, unknown>>
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
}

/** Fails with the first thing that is wrong and what would be right; nothing has asked the database yet. */
export type RequestCheck = (given: GivenRequest) => CheckedRequest

export function createRequestCheck(operation: Operation): RequestCheck {
  const checkQuery = createQueryCheck(operation)
  const checkBody = createBodyCheck(operation.body)
  return ({ headers, params, query, body }) => ({
    id: checkId(operation, params),
    kid: checkKid(operation, params),
    query: checkQuery(query),
    lastEventId: textMember(headers, 'last-event-id') || undefined,
    body: checkBody(body),
  })
}

/** What the path names, where it can be an id: the record says so of refused requests too. */
export function targetOf({ path }: Operation, params: unknown): string | undefined {
  const [id, kid] = [textMember(params, 'id'), textMember(params, 'kid')]
  if (!path.includes('{id}') || !isRowId.test(id)) return undefined
  if (!path.includes('{kid}')) return id
  return isKid.test(kid) ? `${id}/${kid}` : undefined
}

/** The names that a list takes besides its own. */
const pageNames = { offset: ['offset', 'limit'], cursor: ['cursor', 'limit'] } as const

const isRowId = new RegExp(rowIdPattern)
const isKid = /^[0-9a-f]{40}$/

/** What cannot be an id names nothing. */
function checkId({ path }: Operation, params: unknown): string {
  const id = textMember(params, 'id')
  if (!path.includes('{id}') || isRowId.test(id)) return id
  throw new Failure('not-found', 'there is nothing with this id: an id looks like 019a8e0c-5f2b-7c41-9a3e-…')
}

function checkKid({ path }: Operation, params: unknown): string {
  const kid = textMember(params, 'kid')
  if (!path.includes('{kid}') || isKid.test(kid)) return kid
  throw new Failure('not-found', 'there is no key with this id: it is 40 characters of hex')
}

function createQueryCheck({ query, pageStyle }: Operation): (given: unknown) => CheckedRequest['query'] {
  const properties: TObject['properties'] = query?.properties ?? {}
  const checks = new Map(Object.entries(properties).map(([name, schema]) => [name, Compile(schema)]))
  const pageParameters: readonly string[] = pageStyle === undefined ? [] : pageNames[pageStyle]
  const known = [...checks.keys(), ...pageParameters]
  return (given) => {
    const found: Record<string, string> = {}
    for (const [name, value] of Object.entries(Object(given))) {
      if (!known.includes(name)) throw unknownName('parameter', name, known)
      if (typeof value !== 'string') throw refuse(name, `${name} must be given once`)
      const check = checks.get(name)
      if (check?.Check(value) === false) throw refuse(name, complaint(name, check.Errors(value)))
      found[name] = value
    }
    return found
  }
}

function createBodyCheck(schema: TObject | undefined): (given: unknown) => unknown {
  if (schema === undefined) return noBody
  const check = Compile(schema)
  const known = Object.keys(schema.properties)
  return (given) => {
    // A request without a body leaves everything to its defaults.
    const body = given ?? {}
    if (typeof body !== 'object' || Array.isArray(body))
      throw refuse(undefined, 'the body must be a JSON object')
    const stranger = Object.keys(body).find((name) => !known.includes(name))
    if (stranger !== undefined) throw unknownName('member', stranger, known)
    if (check.Check(body)) return body
    const missing = schema.required?.find((name) => !Object.hasOwn(body, name))
    if (missing !== undefined) throw refuse(missing, `${missing} is missing`)
    const errors = check.Errors(body)
    const field = errors[0]?.instancePath.split('/')[1]
    throw refuse(field, complaint('the body', errors))
  }
}

function noBody(given: unknown): undefined {
  if (given === undefined || given === null) return undefined
  throw refuse(undefined, 'this takes no body')
}

interface SchemaError {
  readonly instancePath: string
  readonly keyword: string
  readonly message: string
  readonly params: object
}

function complaint(whole: string, [first]: readonly SchemaError[]): string {
  const path = first?.instancePath.slice(1).replaceAll('/', '.') ?? ''
  const allowed: unknown = first === undefined ? undefined : Reflect.get(first.params, 'allowedValues')
  const wrong = Array.isArray(allowed) ? `must be one of ${allowed.join(', ')}` : first?.message
  return `${path === '' ? whole : path} ${wrong ?? 'is not as it should be'}`
}

function unknownName(kind: string, given: string, known: readonly string[]): Failure {
  const shown = given.slice(0, 64)
  const nearest = nearestText(shown, known)
  const cure =
    nearest === undefined
      ? `there are none here`
      : nearest.isClose
        ? `did you mean "${nearest.text}"?`
        : `known are ${known.join(', ')}`
  return refuse(shown, `unknown ${kind} "${shown}": ${cure}`)
}

function refuse(field: string | undefined, message: string): Failure {
  return new Failure('invalid-request', message, {
    recovery: 'fix_request',
    ...(field === undefined ? {} : { field }),
  })
}

function textMember(params: unknown, name: string): string {
  const value: unknown = typeof params === 'object' && params !== null ? Reflect.get(params, name) : undefined
  return typeof value === 'string' ? value : ''
}
