import { type TSchema, Type } from 'typebox'
import { type Config, configSchema } from './config-schema.ts'
import { secretMark } from './schema-parts.ts'
import { maskUrl, urlSecrets } from './url-secrets.ts'
import { variantsOf } from './variants.ts'

/** The configuration as it may be shown: secrets are `***`, of a URL only its password and the values of its parameters. */
export function maskSecrets(config: Config): unknown {
  return replaceSecrets(config, configSchema, (text, mark) => (mark === 'whole' ? '***' : maskUrl(text)))
}

/** Every secret in the configuration, for the log to look out for. */
export function secretValues(config: Config): string[] {
  const found: string[] = []
  replaceSecrets(config, configSchema, (text, mark) => {
    found.push(...(mark === 'whole' ? [text] : urlSecrets(text)))
    return text
  })
  return [...new Set(found)]
}

type Replace = (text: string, mark: unknown) => string

function replaceSecrets(value: unknown, schema: TSchema, replace: Replace): unknown {
  if (typeof value === 'string' && secretMark in schema) return replace(value, schema[secretMark])
  if (Array.isArray(value)) {
    return Type.IsArray(schema) ? value.map((item) => replaceSecrets(item, schema.items, replace)) : value
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const property = propertySchema(schema, value, key)
      return [key, property === undefined ? inner : replaceSecrets(inner, property, replace)]
    }),
  )
}

function propertySchema(schema: TSchema, value: object, key: string): TSchema | undefined {
  if (Type.IsObject(schema)) return schema.properties[key]
  if (Type.IsRecord(schema)) return Type.RecordValue(schema)
  const variants = variantsOf(schema)
  if (variants === undefined) return undefined
  const name: unknown = Reflect.get(value, variants.key)
  return typeof name === 'string' ? variants.branches.get(name)?.properties[key] : undefined
}
