import { type TObject, Type } from 'typebox'
import { viewApiKey } from '../store/api-key-view.ts'
import type { ApiKey } from '../store/tables-api-keys.ts'
import { timestamp, timestampOrNull } from '../store/timestamp.ts'
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

/** What is shown of a key: nothing that helps to guess it. */
export function keyView(row: ApiKey, now: number): object {
  const { id, name, principal, hint, state, scopes, models, addresses } = viewApiKey(row, now)
  return {
    id,
    name,
    principal,
    hint,
    state,
    scopes,
    models,
    addresses,
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
    expires_at: timestampOrNull(row.expires_at),
    revoked_at: timestampOrNull(row.revoked_at),
    last_used_at: timestampOrNull(row.last_used_at),
    replaced_by: row.replaced_by,
  }
}
