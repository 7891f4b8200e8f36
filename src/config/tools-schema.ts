import {
  type TArray,
  type TBoolean,
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
  header: TOptional<TString>
  allowPrivate: TBoolean
  refreshMinutes: TInteger
  scopes: Scopes
}> = section('The tools of another MCP server.', {
  kind: Type.Literal('mcp', { description: 'Tools of another MCP server.' }),
  name: sourceName(),
  url: httpUrl('Its MCP endpoint.'),
  credential: credential(),
  header: credentialHeader(),
  allowPrivate: allowPrivate(),
  refreshMinutes: Type.Integer({
    minimum: 1,
    maximum: 1440,
    default: 5,
    description:
      'How often its list of tools is read again. A server that announces changes is asked at once as well.',
  }),
  scopes: scopes(),
})

const openapiSource: TObject<{
  kind: TLiteral<'openapi'>
  name: TString
  spec: TString
  baseUrl: TString
  credential: TOptional<TString>
  header: TOptional<TString>
  allowPrivate: TBoolean
  scopes: Scopes
}> = section('An HTTP API, one tool for each operation.', {
  kind: Type.Literal('openapi', { description: 'The operations of an HTTP API.' }),
  name: sourceName(),
  spec: Type.String({
    minLength: 1,
    [secretMark]: 'password',
    description:
      'Its OpenAPI document, 3.0 or 3.1, as JSON or YAML: a file, relative to the configuration file.',
  }),
  baseUrl: httpUrl('Where the API is called. No call leaves this origin and path.'),
  credential: credential(),
  header: credentialHeader(),
  allowPrivate: allowPrivate(),
  scopes: scopes(),
})

export const toolsSchema: TObject<{
  pageSize: TInteger
  listOnlyCallable: TBoolean
  timeoutSeconds: TInteger
  outputLimitBytes: TInteger
  concurrencyPerPrincipal: TInteger
  initialScopes: TArray<TString>
  scopeIncludes: Scopes
  sources: TArray<TUnion<[typeof builtinSource, typeof moduleSource, typeof mcpSource, typeof openapiSource]>>
}> = section('The tools that agents can call.', {
  pageSize: Type.Integer({
    minimum: 1,
    maximum: 10_000,
    default: 1000,
    description: 'How many tools one page of `tools/list` holds.',
  }),
  listOnlyCallable: Type.Boolean({
    default: false,
    description: 'Whether `tools/list` leaves out the tools that the token may not call.',
  }),
  timeoutSeconds: Type.Integer({
    minimum: 1,
    maximum: 3600,
    default: 60,
    description: 'How long a call may take, unless its tool says otherwise.',
  }),
  outputLimitBytes: Type.Integer({
    minimum: 1024,
    maximum: 1_073_741_824,
    default: 1_048_576,
    description: 'The largest result of a call. A larger one becomes an error that says so.',
  }),
  concurrencyPerPrincipal: Type.Integer({
    minimum: 1,
    maximum: 100_000,
    default: 32,
    description: 'How many calls of one principal may be under way at once. More are refused with 429.',
  }),
  initialScopes: listOf(Type.String({ format: 'scope' }), {
    description:
      'The scopes that a client without a token is told to ask for. Those of all tools, unless set; more are asked for when a call needs them.',
  }),
  scopeIncludes: recordOf(Type.Array(Type.String({ format: 'scope' })), {
    description:
      'For a scope, those it includes, through any number of steps: `notes:write` may include `notes:read`. `notes:*` includes all that begin with `notes:` in any case.',
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
    secretText(
      'The credential to send there, as a bearer token unless `header` is set. The token of a caller is never passed on.',
    ),
  )
}

function credentialHeader(): TOptional<TString> {
  return Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9][A-Za-z0-9-]{0,63}$',
      [expectsMark]: 'a header name of letters, digits and -',
      description:
        'The header that carries the credential as it is, such as `x-api-key`, in place of a bearer token.',
    }),
  )
}

function allowPrivate(): TBoolean {
  return Type.Boolean({
    default: false,
    description:
      'Allows plain http, and addresses that are not of the public Internet: loopback, private networks.',
  })
}

function scopes(): Scopes {
  return recordOf(Type.Array(Type.String({ format: 'scope' })), {
    description:
      'For a tool, or `*` for all of them, the scopes that a call needs (every one), in place of those the tool declares.',
  })
}
