import { Failure } from '../../failure/failure.ts'
import type { PropertyNode, SchemaNode } from './schema-node.ts'
import { numberNode } from './schema-number.ts'

/** Reads a JSON Schema or the upper-case schema of the Gemini wire; whatever could not be kept to is refused by name. */
export function compileSchema(schema: unknown, path: string): SchemaNode {
  return compile(schema, { path, root: schema, depth: 0, seen: { nodes: 0 } })
}

interface Where {
  readonly path: string
  readonly root: unknown
  readonly depth: number
  /** References can make a short schema grow without measure. */
  readonly seen: { nodes: number }
}

type SchemaObject = Readonly<Record<string, unknown>>

const deepest = 16
const longest = 10_000
const mostNodes = 500
const annotations =
  'title description example examples default nullable $schema $id $comment $defs definitions deprecated readOnly writeOnly'
const keywords = {
  object: 'type properties required propertyOrdering additionalProperties',
  array: 'type items minItems maxItems',
  string: 'type enum const format minLength maxLength',
  number: 'type enum const format minimum maximum exclusiveMinimum exclusiveMaximum',
  integer: 'type enum const format minimum maximum exclusiveMinimum exclusiveMaximum',
  boolean: 'type enum const',
  null: 'type enum const',
  fixed: 'enum const',
  alternatives: 'anyOf',
  reference: '$ref',
} as const
type Kind = keyof typeof keywords

const compilers: Record<Kind, (schema: SchemaObject, where: Where) => SchemaNode> = {
  object: compileObject,
  array: compileArray,
  string: ({ minLength, maxLength }, { path }) => ({
    kind: 'string',
    least: lengthOf(minLength, 0, `${path}.minLength`),
    most: lengthOf(maxLength, longest, `${path}.maxLength`),
  }),
  number: (schema, { path }) => numberNode(schema, false, path),
  integer: (schema, { path }) => numberNode(schema, true, path),
  boolean: () => ({ kind: 'choice', texts: ['true', 'false'] }),
  null: () => ({ kind: 'choice', texts: ['null'] }),
  fixed: (_, { path }) => refuse(path, 'needs a type'),
  alternatives: ({ anyOf }, where) => compile(firstThatIsNotNull(anyOf, where), deeper(where, 'anyOf')),
  reference: ({ $ref }, where) => compile(resolve($ref, where), deeper(where, '$ref')),
}

function compile(schema: unknown, where: Where): SchemaNode {
  if (where.depth > deepest) return refuse(where.path, `is nested deeper than ${deepest}, or without end`)
  where.seen.nodes += 1
  if (where.seen.nodes > mostNodes) return refuse(where.path, `makes more than ${mostNodes} parts`)
  if (!isObject(schema)) return refuse(where.path, 'must be a schema object')
  const kind = kindOf(schema, where.path)
  refuseUnknown(schema, kind, where.path)
  return fixedValues(schema, where.path) ?? compilers[kind](schema, where)
}

/** The first type of several that is not null: a value says more than none. */
function kindOf(schema: SchemaObject, path: string): Kind {
  if (schema.$ref !== undefined) return 'reference'
  if (schema.anyOf !== undefined) return 'alternatives'
  const types = Array.isArray(schema.type) ? schema.type : [schema.type]
  const names = types.map((type) => (typeof type === 'string' ? type.toLowerCase() : type))
  const name: unknown = names.find((type) => type !== 'null') ?? names[0]
  if (name === undefined && schema.properties !== undefined) return 'object'
  if (name === undefined && (schema.enum !== undefined || schema.const !== undefined)) return 'fixed'
  const known = (['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'] as const).find(
    (type) => type === name,
  )
  const choices = 'object, array, string, number, integer, boolean or null'
  return known ?? refuse(`${path}.type`, `must be one of ${choices}`)
}

function refuseUnknown(schema: SchemaObject, kind: Kind, path: string): void {
  const known = new Set(`${annotations} ${keywords[kind]}`.split(' '))
  const formats = ['int32', 'int64', 'float', 'double', 'enum']
  for (const [keyword, value] of Object.entries(schema)) {
    if (value === undefined) continue
    if (!known.has(keyword))
      refuse(`${path}.${keyword}`, 'is a keyword that the embedded model cannot keep to')
    if (keyword === 'format' && !formats.some((format) => format === value))
      refuse(`${path}.format`, `must be one of ${formats.join(', ')} for the embedded model`)
  }
}

function fixedValues(schema: SchemaObject, path: string): SchemaNode | undefined {
  if (schema.const !== undefined) return { kind: 'choice', texts: [JSON.stringify(schema.const)] }
  if (schema.enum === undefined) return undefined
  if (!Array.isArray(schema.enum) || schema.enum.length === 0)
    return refuse(`${path}.enum`, 'must be a list of at least one value')
  return { kind: 'choice', texts: [...new Set(schema.enum.map((value) => JSON.stringify(value)))] }
}

function compileObject(schema: SchemaObject, where: Where): SchemaNode {
  const properties = isObject(schema.properties) ? schema.properties : {}
  const required = namesOf(schema.required, `${where.path}.required`)
  const missing = required.find((name) => !Object.hasOwn(properties, name))
  if (missing !== undefined)
    return refuse(`${where.path}.required`, `names "${missing}", which has no schema`)
  const order = namesOf(schema.propertyOrdering, `${where.path}.propertyOrdering`)
  const names = [
    ...new Set([...order.filter((name) => Object.hasOwn(properties, name)), ...Object.keys(properties)]),
  ]
  return {
    kind: 'object',
    properties: names.map(
      (name): PropertyNode => ({
        name,
        isRequired: required.includes(name),
        node: compile(properties[name], deeper(where, `properties.${name}`)),
      }),
    ),
  }
}

function compileArray({ items, minItems, maxItems }: SchemaObject, where: Where): SchemaNode {
  const least = lengthOf(minItems, 0, `${where.path}.minItems`)
  const most = lengthOf(maxItems, Math.max(least, 4), `${where.path}.maxItems`)
  if (most < least) return refuse(`${where.path}.maxItems`, `must be at least minItems, ${least}`)
  if (items === undefined) return refuse(`${where.path}.items`, 'must say what the array holds')
  return { kind: 'array', items: compile(items, deeper(where, 'items')), least, most }
}

function firstThatIsNotNull(anyOf: unknown, { path }: Where): unknown {
  const choices: readonly unknown[] = Array.isArray(anyOf) ? anyOf : []
  if (choices.length === 0) return refuse(`${path}.anyOf`, 'must be a list of at least one schema')
  return choices.find((choice) => !isObject(choice) || !isNullType(choice.type)) ?? choices[0]
}

function isNullType(type: unknown): boolean {
  return typeof type === 'string' && type.toLowerCase() === 'null'
}

function resolve(reference: unknown, { root, path }: Where): unknown {
  const steps =
    typeof reference === 'string' && reference.startsWith('#/') ? reference.slice(2).split('/') : []
  const found = steps.reduce<unknown>(
    (schema, step) => (isObject(schema) && Object.hasOwn(schema, step) ? schema[step] : undefined),
    steps.length === 0 ? undefined : root,
  )
  return found ?? refuse(`${path}.$ref`, 'must point into this schema, such as #/$defs/name')
}

function deeper(where: Where, step: string): Where {
  return { ...where, path: `${where.path}.${step}`, depth: where.depth + 1 }
}

function namesOf(value: unknown, path: string): readonly string[] {
  if (value === undefined) return []
  const names = Array.isArray(value) ? value.filter((name) => typeof name === 'string') : []
  return Array.isArray(value) && names.length === value.length
    ? names
    : refuse(path, 'must be a list of names')
}

/** The wire has int64 as text. */
function lengthOf(value: unknown, otherwise: number, path: string): number {
  if (value === undefined) return otherwise
  const length = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value
  return typeof length === 'number' && Number.isSafeInteger(length) && length >= 0
    ? length
    : refuse(path, 'must be a whole number from 0')
}

function isObject(value: unknown): value is SchemaObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function refuse(field: string, problem: string): never {
  throw new Failure('invalid-request', `${field} ${problem}`, { field })
}
