import { Failure } from '../failure/failure.ts'

/** A property of a tool's input that modern clients repeat in the header `Mcp-Param-<name>`. */
export interface HeaderParameter {
  /** In lower case, as Node spells header names: `mcp-param-region`. */
  readonly header: string
  /** Where the value stands in the arguments. */
  readonly path: readonly [string, ...string[]]
  readonly type: 'string' | 'integer' | 'boolean'
}

/** Reads `x-mcp-header` out of an input schema; throws where a client would have to drop the tool. */
export function headerParametersOf(inputSchema: unknown): readonly HeaderParameter[] {
  const found = [...marked(inputSchema, [])]
  const names = new Set(found.map(({ header }) => header))
  if (names.size < found.length) refuse('gives one x-mcp-header name to two properties')
  return found
}

function* marked(schema: unknown, path: readonly string[]): Generator<HeaderParameter> {
  const properties = member(schema, 'properties')
  if (typeof properties !== 'object' || properties === null) return
  for (const [name, property] of Object.entries(properties)) {
    const [first, ...rest] = [...path, name]
    const header = member(property, 'x-mcp-header')
    if (header !== undefined && first !== undefined) yield parameter(header, property, [first, ...rest])
    yield* marked(property, [...path, name])
  }
}

function parameter(name: unknown, schema: unknown, path: HeaderParameter['path']): HeaderParameter {
  if (typeof name !== 'string' || !token.test(name))
    refuse('has an x-mcp-header that is not a name of letters, digits and -')
  const type = member(schema, 'type')
  if (type !== 'string' && type !== 'integer' && type !== 'boolean')
    refuse(`has x-mcp-header on ${path.join('.')}, which must be a string, an integer or a boolean`)
  return { header: `mcp-param-${name.toLowerCase()}`, path, type }
}

/** A token of RFC 9110. */
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

function member(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? Reflect.get(value, key)
    : undefined
}

function refuse(what: string): never {
  throw new Failure('misconfigured', `an input schema ${what}`)
}
