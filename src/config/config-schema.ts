import {
  type Static,
  type TArray,
  type TBoolean,
  type TEnum,
  type TInteger,
  type TObject,
  type TOptional,
  type TString,
  Type,
} from 'typebox'
import { auditSchema } from './audit-schema.ts'
import { authoritySchema } from './authority-schema.ts'
import { issuerSchema } from './issuer-schema.ts'
import { limitsSchema } from './limits-schema.ts'
import { modelsSchema } from './models-schema.ts'
import { expectsMark, listOf, type RecordOf, recordOf, secretMark, section } from './schema-parts.ts'
import { serverSchema } from './server-schema.ts'
import { toolsSchema } from './tools-schema.ts'

const pagingSchema: TObject<{ keys: TArray<TString>; ttlHours: TInteger }> = section(
  'The tokens that lead from page to page.',
  {
    keys: listOf(Type.String({ format: 'signing-key', [secretMark]: 'whole' }), {
      description:
        'Secrets that sign page tokens, at least 32 characters each. The first one signs, the others are still read: put a new one in front to rotate. Every instance needs the same.',
    }),
    ttlHours: Type.Integer({
      minimum: 1,
      maximum: 8760,
      default: 72,
      description: 'How long a page token works.',
    }),
  },
)

const apiKeysSchema: TObject<{ inQuery: TBoolean }> = section('How API keys of the model API may come.', {
  inQuery: Type.Boolean({
    default: true,
    description:
      'Whether `?key=` is accepted, as the Gemini API does. Proxies and logs see what is in a URL: the log warns of it.',
  }),
})

type Level = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'

const logSchema: TObject<{ level: TEnum<Level[]> }> = section('The log on standard output.', {
  level: Type.Enum<Level[]>(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
    default: 'info',
    description: 'The least level that is written.',
  }),
})

/** What may stand in `postern.yaml`. */
export const configSchema: TObject<{
  server: typeof serverSchema
  store: TString
  shared: TOptional<TString>
  issuers: TArray<typeof issuerSchema>
  authority: typeof authoritySchema
  scopeBase: TString
  tools: typeof toolsSchema
  vendor: TString
  apiKeys: typeof apiKeysSchema
  models: typeof modelsSchema
  aliases: RecordOf<TString>
  paging: typeof pagingSchema
  limits: typeof limitsSchema
  audit: typeof auditSchema
  log: typeof logSchema
}> = section('The configuration of Postern.', {
  server: serverSchema,
  store: Type.String({
    format: 'store-address',
    default: 'sqlite:./data/postern.db',
    [secretMark]: 'password',
    description: 'The database: `sqlite:PATH`, or `postgres://user:password@host:port/database`.',
  }),
  shared: Type.Optional(
    Type.String({
      format: 'shared-address',
      [secretMark]: 'password',
      description:
        'Redis or Valkey, which counts limits for all instances together: `redis://`, `rediss://` (TLS) or `valkey://`. Each process counts for itself unless set.',
    }),
  ),
  issuers: listOf(issuerSchema, {
    description: 'The authorization servers whose access tokens are accepted. With none, no token is.',
  }),
  authority: authoritySchema,
  scopeBase: Type.String({
    format: 'scope-prefix',
    default: 'https://www.googleapis.com/auth',
    description:
      'What the scopes of the model API begin with: `<scopeBase>/cloud-platform`, `<scopeBase>/generative-language.retriever`.',
  }),
  tools: toolsSchema,
  vendor: Type.String({
    pattern: '^[a-z][a-z0-9]{0,31}(?:-[a-z0-9]{1,32}){0,4}$',
    [expectsMark]: 'a name of lower-case letters, digits and single -, as it is part of a header name',
    default: 'goog',
    description: 'The vendor of the model API: an API key comes in the header `x-<vendor>-api-key`.',
  }),
  apiKeys: apiKeysSchema,
  models: modelsSchema,
  aliases: recordOf(Type.String({ minLength: 1 }), {
    description:
      'Other names for models, `*` for any text: a name that no model has goes to the model given here.',
  }),
  paging: pagingSchema,
  limits: limitsSchema,
  audit: auditSchema,
  log: logSchema,
})

/** The configuration in force: every default filled in. */
export type Config = Frozen<Static<typeof configSchema>>

type Frozen<Value> = Value extends object ? { readonly [Key in keyof Value]: Frozen<Value[Key]> } : Value
