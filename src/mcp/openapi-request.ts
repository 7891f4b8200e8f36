import { Failure } from '../failure/failure.ts'
import { hasInexact, inexactComplaint } from './inexact-number.ts'
import type { Operation } from './openapi-operation.ts'
import type { Location, Parameter } from './openapi-parameter.ts'
import { encodeSegment, formPairs, headerText, simpleValue } from './openapi-value.ts'
import { isObject, type JsonObject, member } from './source-json.ts'

export interface ApiRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

/** The request that an input stands for. Every value is data: none can change the host, the path's shape or a header. */
export function buildRequest(operation: Operation, baseUrl: URL, input: JsonObject): ApiRequest {
  const given = operation.parameters
    .map((parameter) => ({ parameter, value: member(input, parameter.property) }))
    .filter(({ value }) => value !== undefined && value !== null)
  for (const { parameter, value } of given) refuseTakenNames(parameter, value, operation)
  const written = given.map(({ parameter, value }) => ({ parameter, parts: write(parameter, value) }))
  const partsOf = (place: Location): readonly string[] =>
    written.flatMap(({ parameter, parts }) => (parameter.in === place ? parts : []))
  const cookies = partsOf('cookie')
  const body = operation.body === undefined ? undefined : member(input, operation.body.property)
  if (hasInexact(body)) throw refused(`"${operation.body?.property}" ${inexactComplaint}`)
  return {
    method: operation.method.toUpperCase(),
    url: pinnedUrl(baseUrl, pathOf(operation, written), partsOf('query')),
    headers: {
      ...Object.fromEntries(
        written.flatMap(({ parameter, parts }) =>
          parameter.in === 'header' ? [[parameter.name.toLowerCase(), parts.join(',')]] : [],
        ),
      ),
      ...(cookies.length === 0 ? {} : { cookie: cookies.join('; ') }),
      ...(body === undefined ? {} : { 'content-type': operation.body?.mediaType ?? '' }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  }
}

/** An exploded object brings its own names: it must not bring that of another parameter, whose value was checked for itself. */
function refuseTakenNames(parameter: Parameter, value: unknown, { parameters }: Operation): void {
  if (!parameter.explode || parameter.isJson || !isObject(value)) return
  if (parameter.in !== 'query' && parameter.in !== 'cookie') return
  const others = parameters.filter((one) => one !== parameter && one.in === parameter.in)
  const taken = Object.keys(value).find((key) => others.some(({ name }) => name === key))
  if (taken === undefined) return
  const message = `"${parameter.property}" must not have the member "${taken}", which is a parameter of its own`
  throw refused(message, parameter.property)
}

interface Written {
  readonly parameter: Parameter
  readonly parts: readonly string[]
}

const writers = {
  path: ({ explode }, value) => [simpleValue(value, explode, encodeSegment)],
  query: ({ name, explode }, value) => formPairs(name, value, explode),
  header: ({ explode }, value) => [headerText(simpleValue(value, explode, headerText))],
  cookie: ({ name, explode }, value) => formPairs(name, value, explode),
} as const satisfies Record<Location, (parameter: Parameter, value: unknown) => readonly string[]>

function write(parameter: Parameter, value: unknown): readonly string[] {
  try {
    if (hasInexact(value)) throw refused(inexactComplaint)
    return writers[parameter.in](parameter, parameter.isJson ? JSON.stringify(value) : value)
  } catch (cause) {
    if (!(cause instanceof Failure)) throw cause
    throw refused(`"${parameter.property}" ${cause.message}`, parameter.property)
  }
}

function pathOf({ literals, names }: Operation, written: readonly Written[]): string {
  const segments = literals
    .map((literal, index) => literal + pathValue(names[index], written))
    .join('')
    .split('/')
  if (segments.some(isDotSegment)) throw refused('the path must not contain the segments "." and ".."')
  return segments.join('/')
}

function pathValue(name: string | undefined, written: readonly Written[]): string {
  if (name === undefined) return ''
  const found = written.find(({ parameter }) => parameter.in === 'path' && parameter.name === name)
  if (found === undefined || found.parts.join('') === '') throw refused(`"${name}" is missing`, name)
  return found.parts.join('')
}

/** Some servers cut a segment at ";" before they look at its dots. */
function isDotSegment(segment: string): boolean {
  const [name] = segment.split(/;|%3B/i)
  return name === '.' || name === '..'
}

/** The last look: the URL is what was written, byte for byte, and lies below the base. */
function pinnedUrl(baseUrl: URL, path: string, query: readonly string[]): string {
  const prefix = baseUrl.pathname.replace(/\/$/, '')
  const text = `${baseUrl.origin}${prefix}${path}${query.length === 0 ? '' : `?${query.join('&')}`}`
  const url = URL.parse(text)
  const isPinned =
    url?.href === text &&
    url.origin === baseUrl.origin &&
    url.pathname.startsWith(`${prefix}/`) &&
    url.hash === ''
  if (!isPinned) throw refused('the values would lead to another place than the operation')
  return text
}

function refused(message: string, field?: string): Failure {
  return new Failure('invalid-request', message, {
    reason: 'parameter_value',
    ...(field === undefined ? {} : { field }),
  })
}
