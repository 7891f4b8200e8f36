import { type TObject, type TSchema, Type } from 'typebox'

/** A choice of mappings in which one key, a constant in each of them, says which one it is: `kind: mcp`. */
export interface Variants {
  readonly key: string
  readonly branches: ReadonlyMap<string, TObject>
}

export function variantsOf(schema: TSchema): Variants | undefined {
  if (!Type.IsUnion(schema)) return undefined
  const objects = schema.anyOf.filter((branch) => Type.IsObject(branch))
  const key = Object.keys(objects[0]?.properties ?? {}).find((name) =>
    objects.every(({ properties }) => Type.IsLiteral(properties[name])),
  )
  if (key === undefined || objects.length !== schema.anyOf.length) return undefined
  return { key, branches: new Map(objects.map((branch) => [constant(branch, key), branch])) }
}

/** The mapping in a choice between a single value and a mapping: `5`, or `{ requestsPerMinute: 5 }`. */
export function mappingOf(schema: TSchema): TObject | undefined {
  return Type.IsUnion(schema) ? schema.anyOf.find((branch) => Type.IsObject(branch)) : undefined
}

function constant(branch: TObject, key: string): string {
  const property = branch.properties[key]
  return Type.IsLiteral(property) ? String(property.const) : ''
}
