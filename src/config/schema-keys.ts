import { type TSchema, Type } from 'typebox'
import { keyPath } from './problem.ts'
import { mappingOf, variantsOf } from './variants.ts'

export interface SchemaKey {
  /** `server.port`, `tools.sources[].url` below a list, `authority.scopes.<name>.resource` below names of the user's own. */
  readonly path: string
  /** In which variant of its list, such as `kind: mcp`. */
  readonly variant: string | undefined
  readonly schema: TSchema
}

/** Every key that a configuration may hold, in the order of the schema. */
export function schemaKeys(schema: TSchema, path = '', variant?: string): SchemaKey[] {
  if (Type.IsArray(schema)) return schemaKeys(schema.items, `${path}[]`, variant)
  if (Type.IsRecord(schema)) return schemaKeys(Type.RecordValue(schema), `${path}.<name>`, variant)
  if (Type.IsObject(schema)) {
    return Object.entries(schema.properties).flatMap(([name, property]) => {
      const below = keyPath(path, name)
      return [{ path: below, variant, schema: property }, ...schemaKeys(property, below, variant)]
    })
  }
  const variants = variantsOf(schema)
  const mapping = mappingOf(schema)
  if (variants === undefined) return mapping === undefined ? [] : schemaKeys(mapping, path, variant)
  return Array.from(variants.branches, ([name, branch]) =>
    schemaKeys(branch, path, `${variants.key}: ${name}`),
  ).flat()
}
