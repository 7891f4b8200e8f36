import {
  type TArray,
  type TInteger,
  type TLiteral,
  type TObject,
  type TOptional,
  type TString,
  type TUnion,
  Type,
} from 'typebox'
import {
  expectsMark,
  httpUrl,
  listOf,
  type RecordOf,
  recordOf,
  secretMark,
  secretText,
  section,
} from './schema-parts.ts'

type Scopes = RecordOf<TArray<TString>>

const builtinSource: TObject<{ kind: TLiteral<'builtin'>; scopes: Scopes }> = section('The built-in tools.', {
  kind: Type.Literal('builtin', {
    description: 'The tools that come with Postern. At most one such source.',
  }),
  scopes: scopes(),
})

const moduleSource: TObject<{ kind: TLiteral<'module'>; path: TString; scopes: Scopes }> = section(
  'Tools written in TypeScript or JavaScript.',
  {
    kind: Type.Literal('module', { description: 'Tools from a file of your own.' }),
    path: Type.String({ minLength: 1, description: 'The file, relative to the configuration file.' }),
    scopes: scopes(),
  },
)

const mcpSource: TObject<{
  kind: TLiteral<'mcp'>
  name: TString
  url: TString
  credential: TOptional<TString>
  scopes: Scopes
}> = section('The tools of another MCP server.', {
  kind: Type.Literal('mcp', { description: 'Tools of another MCP server.' }),
  name: sourceName(),
  url: httpUrl('Its MCP endpoint.'),
  credential: credential(),
  scopes: scopes(),
})

const openapiSource: TObject<{
  kind: TLiteral<'openapi'>
  name: TString
  spec: TString
  baseUrl: TString
  credential: TOptional<TString>
  scopes: Scopes
}> = section('An HTTP API, one tool for each operation.', {
  kind: Type.Literal('openapi', { description: 'The operations of an HTTP API.' }),
  name: sourceName(),
  spec: Type.String({
    minLength: 1,
    [secretMark]: 'password',
    description: 'Its OpenAPI document: a file, relative to the configuration file, or a URL.',
  }),
  baseUrl: httpUrl('Where the API is called.'),
  credential: credential(),
  scopes: scopes(),
})

export const toolsSchema: TObject<{
  pageSize: TInteger
  sources: TArray<TUnion<[typeof builtinSource, typeof moduleSource, typeof mcpSource, typeof openapiSource]>>
}> = section('The tools that agents can call.', {
  pageSize: Type.Integer({
    minimum: 1,
    maximum: 10_000,
    default: 1000,
    description: 'How many tools one page of `tools/list` holds.',
  }),
  sources: listOf(Type.Union([builtinSource, moduleSource, mcpSource, openapiSource]), {
    description: 'Where tools come from. `kind` says which of the sources below an entry is.',
  }),
})

function sourceName(): TString {
  return Type.String({
    pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$',
    [expectsMark]: 'a name of letters, digits, - and _, at most 64, that starts with a letter or digit',
    description: 'A name for this source, unique among the sources.',
  })
}

function credential(): TOptional<TString> {
  return Type.Optional(
    secretText('The bearer credential to send there. The token of a caller is never passed on.'),
  )
}

function scopes(): Scopes {
  return recordOf(Type.Array(Type.String({ format: 'scope' })), {
    description:
      'For a tool, or `*` for all of them, the scopes that a call needs (every one), in place of those the tool declares.',
  })
}
