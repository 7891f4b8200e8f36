import { type TEnum, type TInteger, type TObject, type TOptional, type TUnion, Type } from 'typebox'
import { type RecordOf, recordOf, section } from './schema-parts.ts'

type Amount = TOptional<TInteger>
type Whose = TEnum<['principal', 'everyone']>

const perPrincipalSchema: TObject<{ requestsPerDay: Amount; tokensPerMinute: Amount; tokensPerDay: Amount }> =
  Type.Object(
    {
      requestsPerDay: amount('Requests a day of one principal.'),
      tokensPerMinute: amount('Tokens a minute of one principal, read and written by models.'),
      tokensPerDay: amount('Tokens a day of one principal.'),
    },
    {
      additionalProperties: false,
      default: {},
      description: 'More limits of one principal, over everything. No limit where none is set.',
    },
  )

const perKeySchema: TObject<{
  requestsPerMinute: Amount
  requestsPerDay: Amount
  tokensPerMinute: Amount
  tokensPerDay: Amount
}> = Type.Object(
  {
    requestsPerMinute: amount('Requests a minute with one key.'),
    requestsPerDay: amount('Requests a day with one key.'),
    tokensPerMinute: amount('Tokens a minute with one key.'),
    tokensPerDay: amount('Tokens a day with one key.'),
  },
  {
    additionalProperties: false,
    default: {},
    description:
      'Limits of one API key, or one key of a service account, whoever holds it. No limit where none is set.',
  },
)

const toolLimit: TObject<{ requestsPerMinute: Amount; requestsPerDay: Amount; of: Whose }> = section(
  'The limits of a tool.',
  {
    requestsPerMinute: amount('Calls a minute of this tool.'),
    requestsPerDay: amount('Calls a day of this tool.'),
    of: whose('Whether each principal has these calls, or all of them share them.'),
  },
)

const modelLimit: TObject<{
  requestsPerMinute: Amount
  requestsPerDay: Amount
  tokensPerMinute: Amount
  tokensPerDay: Amount
  of: Whose
}> = section('The limits of a model.', {
  requestsPerMinute: amount('Calls a minute of this model.'),
  requestsPerDay: amount('Calls a day of this model.'),
  tokensPerMinute: amount('Tokens a minute of this model.'),
  tokensPerDay: amount('Tokens a day of this model.'),
  of: whose('Whether each principal has these calls and tokens, or all of them share them.'),
})

export const limitsSchema: TObject<{
  perPrincipalPerMinute: TInteger
  perPrincipal: typeof perPrincipalSchema
  perKey: typeof perKeySchema
  tools: RecordOf<TUnion<[TInteger, typeof toolLimit]>>
  models: RecordOf<TUnion<[TInteger, typeof modelLimit]>>
  whenSharedFails: TEnum<['allow', 'refuse']>
}> = section('How often callers may call, and how many tokens they may use.', {
  perPrincipalPerMinute: Type.Integer({
    minimum: 1,
    default: 600,
    description: 'Requests a minute of one principal, over everything.',
  }),
  perPrincipal: perPrincipalSchema,
  perKey: perKeySchema,
  tools: recordOf(Type.Union([perMinute(), toolLimit]), {
    description: 'For a tool, the calls a minute of one principal, or its limits one by one.',
  }),
  models: recordOf(Type.Union([perMinute(), modelLimit]), {
    description: 'For a model, the calls a minute of one principal, or its limits one by one.',
  }),
  whenSharedFails: Type.Enum(['allow', 'refuse'], {
    default: 'refuse',
    description:
      'What happens to calls while `shared` is set but cannot be reached: `refuse` answers 503, `allow` lets them through uncounted.',
  }),
})

function perMinute(): TInteger {
  return Type.Integer({ minimum: 1 })
}

function amount(description: string): Amount {
  return Type.Optional(Type.Integer({ minimum: 1, description }))
}

function whose(description: string): Whose {
  return Type.Enum(['principal', 'everyone'], { default: 'principal', description })
}
