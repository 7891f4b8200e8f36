import { type TSchema, Type } from 'typebox'
import { expectsMark } from './schema-parts.ts'
import { textFormats } from './text-formats.ts'
import { variantsOf } from './variants.ts'

/** What a value must be, in words that follow "must be": `an integer from 0 to 65535`. */
export function expectation(schema: TSchema): string {
  if (Type.IsArray(schema)) return 'a list'
  if (Type.IsObject(schema) || Type.IsRecord(schema)) return 'a mapping'
  if (variantsOf(schema) !== undefined) return 'a mapping'
  if (Type.IsUnion(schema)) return schema.anyOf.map(expectation).join(', or ')
  if (Type.IsEnum(schema)) return `one of ${schema.enum.join(', ')}`
  if (Type.IsLiteral(schema)) return String(schema.const)
  if (Type.IsInteger(schema)) return `an integer${range(schema)}`
  if (Type.IsBoolean(schema)) return 'true or false'
  return text(schema)
}

function range(schema: TSchema): string {
  const minimum: number | undefined = Reflect.get(schema, 'minimum')
  const maximum: number | undefined = Reflect.get(schema, 'maximum')
  if (minimum === undefined) return maximum === undefined ? '' : ` of at most ${maximum}`
  return maximum === undefined ? ` of at least ${minimum}` : ` from ${minimum} to ${maximum}`
}

function text(schema: TSchema): string {
  const words: unknown = Reflect.get(schema, expectsMark)
  const format: unknown = Reflect.get(schema, 'format')
  if (typeof words === 'string') return words
  return (typeof format === 'string' ? textFormats[format]?.expects : undefined) ?? 'a text'
}
