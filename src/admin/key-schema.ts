import { type TObject, Type } from 'typebox'
import { orNull, rowIdPattern, time } from './schema-parts.ts'

const fields = {
  id: Type.String({ pattern: rowIdPattern }),
  name: Type.String({ description: 'What it is for' }),
  principal: Type.String({ description: 'Whom it acts for, in limits and in the record of calls' }),
  hint: Type.String({ description: 'Its last four characters' }),
  state: Type.Enum(['active', 'expired', 'revoked']),
  scopes: orNull(Type.Array(Type.String(), { description: 'What it may do; null for all that a key can' })),
  models: orNull(Type.Array(Type.String(), { description: 'Names of models, * for any text; null for all' })),
  addresses: orNull(Type.Array(Type.String(), { description: 'IP addresses and ranges; null for all' })),
  created_at: time('When it was made'),
  updated_at: time('When it was changed last'),
  expires_at: orNull(time('When it ends')),
  revoked_at: orNull(time('When it was revoked')),
  last_used_at: orNull(time('Noted at most once a minute')),
  replaced_by: orNull(Type.String({ description: 'The key that a rotation made in its place' })),
}

export const keySchema: TObject = Type.Object(fields, { title: 'Key', additionalProperties: false })

export const newKeySchema: TObject = Type.Object(
  { ...fields, key: Type.String({ description: 'The key itself, shown this once' }) },
  { title: 'NewKey', additionalProperties: false },
)
