import { anything, choice, flag, float, int64, type Kind, text } from './json-kinds.ts'
import { later, list, mapOf, message } from './json-message.ts'

/** The OpenAPI-like schema of the wire, which holds itself; types come out in upper case. */
export const schema: Kind<unknown> = message('Schema', {
  type: choice(
    'Type',
    ['TYPE_UNSPECIFIED', 'STRING', 'NUMBER', 'INTEGER', 'BOOLEAN', 'ARRAY', 'OBJECT', 'NULL'],
    true,
  ),
  format: text,
  title: text,
  description: text,
  nullable: flag,
  enum: list(text),
  items: later(() => schema, 'Schema'),
  maxItems: int64,
  minItems: int64,
  properties: mapOf(later(() => schema, 'Schema')),
  required: list(text),
  minProperties: int64,
  maxProperties: int64,
  minimum: float,
  maximum: float,
  minLength: int64,
  maxLength: int64,
  pattern: text,
  example: anything,
  anyOf: list(later(() => schema, 'Schema')),
  propertyOrdering: list(text),
  default: anything,
})
