import {
  type TArray,
  type TObject,
  type TProperties,
  type TRecord,
  type TSchema,
  type TString,
  Type,
} from 'typebox'

/** The keyword that marks a secret: `whole` hides the value, `password` only the password and the query inside a URL. */
export const secretMark = 'x-secret'

/** The keyword for a default that is worked out, in words; the key may be left out, and is filled in later. */
export const derivedMark = 'x-derived'

/** The keyword that says in words what a text must be, where a pattern alone would have to be deciphered. */
export const expectsMark = 'x-expects'

export type RecordOf<Value extends TSchema> = TRecord<'^.*$', Value>

/** A mapping that knows its keys and refuses every other one. */
export function section<Properties extends TProperties>(
  description: string,
  properties: Properties,
): TObject<Properties> {
  return Type.Object(properties, { additionalProperties: false, description })
}

/** A list that is empty unless it is given. */
export function listOf<Item extends TSchema>(item: Item, options: { description: string }): TArray<Item> {
  return Type.Array(item, { default: [], ...options })
}

/** A mapping with keys of the user's own, empty unless it is given. */
export function recordOf<Value extends TSchema>(
  value: Value,
  options: { description: string },
): RecordOf<Value> {
  return Type.Record(Type.String(), value, { default: {}, ...options })
}

export function secretText(description: string): TString {
  return Type.String({ format: 'secret', [secretMark]: 'whole', description })
}

/** A URL that we call. Its parameters may be secrets, so it is masked like one with a password. */
export function httpUrl(description: string): TString {
  return Type.String({ format: 'http-url', [secretMark]: 'password', description })
}
