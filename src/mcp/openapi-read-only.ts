import { dereference, type OpenApiDocument } from './openapi-document.ts'
import { isObject, type JsonObject, listMember, member } from './source-json.ts'

/** The properties of a schema that only answers have, also those of the schemas that it is made of by `allOf`. */
export function readOnlyNames(
  document: OpenApiDocument,
  schema: JsonObject,
  open: readonly JsonObject[] = [],
): ReadonlySet<string> {
  const properties = member(schema, 'properties')
  const own = Object.entries(isObject(properties) ? properties : {})
    .filter(([, property]) => isReadOnly(document, property))
    .map(([name]) => name)
  if (open.length >= deepest) return new Set(own)
  const inherited = listMember(schema, 'allOf').flatMap((part) => {
    const found = dereference(document, part)
    const isNew = isObject(found) && found !== schema && !open.includes(found)
    return isNew ? [...readOnlyNames(document, found, [...open, schema])] : []
  })
  return new Set([...own, ...inherited])
}

const deepest = 8

/** In 3.1 it may be said beside a reference or where the reference leads. */
function isReadOnly(document: OpenApiDocument, property: unknown): boolean {
  return member(property, 'readOnly') === true || member(dereference(document, property), 'readOnly') === true
}
