import { type TSchema, Type } from 'typebox'
import { configSchema } from './config-schema.ts'
import { derivedMark, expectsMark } from './schema-parts.ts'

type Json = Readonly<Record<string, unknown>>

/** The schema for editors (JSON Schema, draft 7): keys with a default may be left out, and `${NAME}` may stand for any value. */
export function configJsonSchema(): Json {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'postern.yaml',
    definitions: {
      reference: {
        description: 'A value from the environment.',
        type: 'string',
        pattern: '^\\$\\{[A-Za-z_][A-Za-z0-9_]*(:-[^}]*)?\\}$',
      },
    },
    ...editorSchema(configSchema),
  }
}

function editorSchema(schema: TSchema): Json {
  const { description, default: fallback, ...rest } = withoutMarks(schema)
  const shape = editorShape(schema, rest)
  return {
    ...(description !== undefined && { description }),
    ...shape,
    ...(fallback !== undefined && { default: fallback }),
  }
}

function editorShape(schema: TSchema, keywords: Json): Json {
  if (Type.IsObject(schema)) {
    const properties = Object.entries(schema.properties)
    const required = properties.filter(([, property]) => isRequired(property)).map(([name]) => name)
    return {
      type: 'object',
      properties: Object.fromEntries(properties.map(([name, property]) => [name, editorSchema(property)])),
      ...(required.length > 0 && { required }),
      additionalProperties: false,
    }
  }
  if (Type.IsRecord(schema)) {
    return { type: 'object', additionalProperties: editorSchema(Type.RecordValue(schema)) }
  }
  if (Type.IsArray(schema)) return { ...keywords, items: editorSchema(schema.items) }
  if (Type.IsUnion(schema)) return { anyOf: schema.anyOf.map(editorSchema).flatMap(alternatives) }
  return takesReference(schema) ? { anyOf: [keywords, { $ref: '#/definitions/reference' }] } : keywords
}

function alternatives(schema: Json): unknown[] {
  return Array.isArray(schema.anyOf) ? schema.anyOf : [schema]
}

/** `format` is dropped, as ours are unknown to editors. */
function withoutMarks(schema: TSchema): Json {
  const dropped = ['format', derivedMark, expectsMark]
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !dropped.includes(keyword)))
}

function isRequired(schema: TSchema): boolean {
  if ('default' in schema || derivedMark in schema || Type.IsOptional(schema)) return false
  return !Type.IsObject(schema) || Object.values(schema.properties).some(isRequired)
}

/** A plain text may hold a reference as it is. */
function takesReference(schema: TSchema): boolean {
  return !Type.IsLiteral(schema) && (!Type.IsString(schema) || 'pattern' in schema)
}
