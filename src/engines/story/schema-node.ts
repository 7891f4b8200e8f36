/** A JSON schema, reduced to what has to be decided while writing a value of it. */
export type SchemaNode =
  | { readonly kind: 'object'; readonly properties: readonly PropertyNode[] }
  | { readonly kind: 'array'; readonly items: SchemaNode; readonly least: number; readonly most: number }
  /** Lengths count characters. */
  | { readonly kind: 'string'; readonly least: number; readonly most: number }
  /** Whole numbers from `least` to `most`, with digits after the point unless `isInteger`. */
  | { readonly kind: 'number'; readonly isInteger: boolean; readonly least: number; readonly most: number }
  /** One of these JSON texts. */
  | { readonly kind: 'choice'; readonly texts: readonly string[] }

export interface PropertyNode {
  readonly name: string
  readonly isRequired: boolean
  readonly node: SchemaNode
}
