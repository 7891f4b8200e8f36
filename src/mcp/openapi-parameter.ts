import { dereference, type OpenApiDocument } from './openapi-document.ts'
import { standaloneSchema } from './openapi-schema.ts'
import { isObject, type JsonObject, listMember, member, textMember } from './source-json.ts'

export interface Parameter {
  readonly in: Location
  readonly name: string
  /** Its property of the tool's input. */
  readonly property: string
  readonly isRequired: boolean
  readonly explode: boolean
  /** Described by `content`: sent as JSON text instead of in a style. */
  readonly isJson: boolean
  readonly schema: JsonObject
}

export type Location = keyof typeof styles

/** The one style of each place that is supported; in each it is the default of OpenAPI. */
const styles = { path: 'simple', query: 'form', header: 'simple', cookie: 'form' } as const

interface Scope {
  readonly item: unknown
  readonly operation: JsonObject
  /** The header that carries the credential, which no caller fills in. */
  readonly ownHeader: string
}

/** The parameters of an operation and of its path, or why they cannot be sent. */
export function readParameters(document: OpenApiDocument, scope: Scope): readonly Parameter[] | string {
  const merged = new Map<string, JsonObject>()
  for (const given of [
    ...listMember(scope.item, 'parameters'),
    ...listMember(scope.operation, 'parameters'),
  ]) {
    const parameter = dereference(document, given)
    if (isObject(parameter))
      merged.set(`${textMember(parameter, 'in')} ${textMember(parameter, 'name')}`, parameter)
  }
  const read: Parameter[] = []
  for (const given of merged.values()) {
    const name = textMember(given, 'name') ?? ''
    const place = locationOf(given)
    if (place === undefined || name === '') return 'it has a parameter without a name or a known place'
    if (place === 'header' && isOwnHeader(name, scope.ownHeader)) continue
    const parameter = readParameter(document, { given, name, place })
    if (typeof parameter === 'string') return parameter
    read.push({ ...parameter, property: propertyName(parameter, read) })
  }
  return read
}

interface Given {
  readonly given: JsonObject
  readonly name: string
  readonly place: Location
}

function readParameter(document: OpenApiDocument, { given, name, place }: Given): Parameter | string {
  const style = textMember(given, 'style') ?? styles[place]
  if (style !== styles[place]) return `its parameter "${name}" has the style ${style}, which is not supported`
  if ((place === 'header' || place === 'cookie') && !token.test(name))
    return `its parameter "${name}" is not a possible ${place} name`
  const json = member(member(given, 'content'), 'application/json')
  if (json === undefined && member(given, 'content') !== undefined)
    return `its parameter "${name}" has a content that is not JSON`
  const schema = standaloneSchema(document, member(json ?? given, 'schema'))
  const description = textMember(given, 'description')
  return {
    in: place,
    name,
    property: name,
    isRequired: place === 'path' || member(given, 'required') === true,
    explode: member(given, 'explode') === undefined ? style === 'form' : member(given, 'explode') === true,
    isJson: json !== undefined,
    schema: description === undefined ? schema : { ...schema, description },
  }
}

/** A token of RFC 9110. */
const token = /^[!#$%&'*+.^`|~\w-]+$/

function locationOf(parameter: JsonObject): Location | undefined {
  const place = member(parameter, 'in')
  return place === 'path' || place === 'query' || place === 'header' || place === 'cookie' ? place : undefined
}

/** OpenAPI takes the first three out of the parameters; the others belong to the connection or to us. */
const connectionHeaders: readonly string[] = [
  'accept content-type authorization cookie host connection keep-alive content-length transfer-encoding te trailer',
  'upgrade expect proxy-authorization proxy-connection proxy-authenticate',
].flatMap((line) => line.split(' '))

function isOwnHeader(name: string, ownHeader: string): boolean {
  const lower = name.toLowerCase()
  return lower === ownHeader.toLowerCase() || connectionHeaders.includes(lower)
}

/** Two parameters may share a name in different places, and one may have the name that another would get by that. */
function propertyName(parameter: Parameter, earlier: readonly Parameter[]): string {
  const isTaken = (name: string): boolean => earlier.some(({ property }) => property === name)
  let free = parameter.name
  while (isTaken(free)) free = `${free}_${parameter.in}`
  return free
}
