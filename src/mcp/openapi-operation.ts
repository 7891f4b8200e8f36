import { Failure } from '../failure/failure.ts'
import { dereference, type OpenApiDocument } from './openapi-document.ts'
import { type Parameter, readParameters } from './openapi-parameter.ts'
import { standaloneSchema } from './openapi-schema.ts'
import { isObject, type JsonObject, member, textMember } from './source-json.ts'

export interface Operation {
  readonly id: string
  readonly method: Method
  /** Between the literal parts stand the values of the path parameters, in this order: a, {x}, b, {y}, c. */
  readonly literals: readonly string[]
  readonly names: readonly string[]
  readonly parameters: readonly Parameter[]
  readonly body: RequestBody | undefined
  readonly summary: string | undefined
  readonly description: string | undefined
}

interface RequestBody {
  /** Its property of the tool's input. */
  readonly property: string
  readonly mediaType: string
  readonly isRequired: boolean
  readonly schema: JsonObject
}

type Method = (typeof methods)[number]

export interface ReadOperations {
  readonly operations: readonly Operation[]
  /** Operations that cannot be a tool, and why. */
  readonly left: readonly { readonly place: string; readonly why: string }[]
}

/** Every operation with an `operationId`, but for those that ask for what cannot be sent. */
export function readOperations(document: OpenApiDocument, ownHeader: string): ReadOperations {
  const operations: Operation[] = []
  const left: { place: string; why: string }[] = []
  for (const [path, given] of entriesOf(member(document.root, 'paths'))) {
    const item = orWhy(() => dereference(document, given))
    if (typeof item === 'string') left.push({ place: path, why: item })
    for (const method of methods) {
      const operation = member(item, method)
      if (!isObject(operation)) continue
      const found = orWhy(() => readOperation(document, { path, method, item, operation, ownHeader }))
      if (typeof found === 'string') left.push({ place: `${method.toUpperCase()} ${path}`, why: found })
      else operations.push(found)
    }
  }
  return { operations, left }
}

/** What is wrong with one place of the document is no reason to leave out the others. */
function orWhy<Read>(read: () => Read): Read | string {
  try {
    return read()
  } catch (error) {
    if (error instanceof Failure && error.reason === 'openapi_document') return error.message
    throw error
  }
}

const methods = ['get', 'put', 'post', 'delete', 'patch'] as const

interface Place {
  readonly path: string
  readonly method: Method
  readonly item: unknown
  readonly operation: JsonObject
  readonly ownHeader: string
}

function readOperation(document: OpenApiDocument, place: Place): Operation | string {
  const { path, method, item, operation, ownHeader } = place
  const id = textMember(operation, 'operationId')
  if (id === undefined || id === '') return 'it has no operationId'
  const pieces = path.split(/\{([^{}]*)\}/)
  const literals = pieces.filter((_, index) => index % 2 === 0)
  const names = pieces.filter((_, index) => index % 2 === 1)
  if (!path.startsWith('/') || !literals.every((literal) => literalPattern.test(literal)))
    return 'its path is not made of plain characters and {parameters}'
  const parameters = readParameters(document, { item, operation, ownHeader })
  if (typeof parameters === 'string') return parameters
  const wanted = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)
  if (names.some((name) => !wanted.includes(name)) || wanted.some((name) => !names.includes(name)))
    return 'its path and its path parameters do not name the same things'
  const body = method === 'get' ? undefined : readBody(document, operation, parameters)
  if (typeof body === 'string') return body
  return {
    id,
    method,
    literals,
    names,
    parameters,
    body,
    summary: textMember(operation, 'summary'),
    description: textMember(operation, 'description'),
  }
}

/** The characters of a path that a URL keeps as they are. */
const literalPattern = /^[\w\-.~!$&'()*+,;=:@/]*$/

function readBody(
  document: OpenApiDocument,
  operation: JsonObject,
  parameters: readonly Parameter[],
): RequestBody | undefined | string {
  const body = dereference(document, member(operation, 'requestBody'))
  if (body === undefined) return undefined
  const isRequired = member(body, 'required') === true
  const media = entriesOf(member(body, 'content')).find(([name]) => jsonMedia.test(name))
  if (media === undefined) return isRequired ? 'its body is not JSON' : undefined
  const [mediaType, { schema }] = [media[0], { schema: member(media[1], 'schema') }]
  const isTaken = parameters.some(({ property }) => property === 'body')
  return {
    property: isTaken ? 'requestBody' : 'body',
    mediaType,
    isRequired,
    schema: standaloneSchema(document, schema),
  }
}

const jsonMedia = /^application\/(?:[\w.-]+\+)?json(?:\s*;.*)?$/i

function entriesOf(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value) : []
}
