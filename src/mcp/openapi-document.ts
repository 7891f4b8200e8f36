import { parse } from 'yaml'
import { Failure } from '../failure/failure.ts'
import { isObject, type JsonObject, member, textMember } from './source-json.ts'

export interface OpenApiDocument {
  readonly root: JsonObject
  /** 3.0 has a dialect of JSON Schema of its own; 3.1 uses the standard one. */
  readonly version: '3.0' | '3.1'
}

/** Reads JSON or YAML; a document that is not OpenAPI 3.0 or 3.1 is refused. */
export function readOpenApi(text: string): OpenApiDocument {
  const root = parseText(text)
  const version = /^3\.[01](?=\.\d+$)/.exec(textMember(root, 'openapi') ?? '')?.[0]
  if (!isObject(root) || version === undefined)
    throw unreadable(
      'is not an OpenAPI document of version 3.0 or 3.1: it needs a key "openapi" such as 3.1.0',
    )
  return { root, version: version === '3.0' ? '3.0' : '3.1' }
}

/** What a `$ref` leads to. Only places inside the document are followed: nothing is fetched. */
export function resolveReference(document: OpenApiDocument, reference: string): unknown {
  if (!reference.startsWith('#/'))
    throw unreadable(`has the $ref "${reference}": only references inside the document ("#/…") are followed`)
  const found = reference.slice(2).split('/').map(unescapeToken).reduce<unknown>(step, document.root)
  if (found === undefined) throw unreadable(`has the $ref "${reference}", which leads nowhere`)
  return found
}

/** Follows a chain of references to what they stand for; for things other than schemas, which nest instead. */
export function dereference(document: OpenApiDocument, value: unknown): unknown {
  let found = value
  for (let hops = 0; hops < maxHops; hops += 1) {
    const reference = textMember(found, '$ref')
    if (reference === undefined) return found
    found = resolveReference(document, reference)
  }
  throw unreadable('has a $ref that leads back to itself')
}

export function unreadable(what: string, cause?: unknown): Failure {
  return new Failure('misconfigured', `the document ${what}`, { reason: 'openapi_document', cause })
}

const maxCharacters = 33_554_432
const maxHops = 32

function parseText(text: string): unknown {
  if (text.length > maxCharacters) throw unreadable('is larger than 32 MiB')
  try {
    return text.trimStart().startsWith('{') ? JSON.parse(text) : parse(text, { prettyErrors: false })
  } catch (cause) {
    throw unreadable('is neither valid JSON nor valid YAML', cause)
  }
}

function unescapeToken(token: string): string {
  try {
    return decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    return token
  }
}

function step(value: unknown, token: string): unknown {
  return Array.isArray(value) ? value[Number(token)] : member(value, token)
}
