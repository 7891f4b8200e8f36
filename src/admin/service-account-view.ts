import { type TObject, Type } from 'typebox'
import type { CredentialsFile } from '../store/service-account-file.ts'
import { accountView } from '../store/service-account-view.ts'
import type { ServiceAccount, ServiceAccountKey } from '../store/tables-service-accounts.ts'
import { timestamp, timestampOrNull } from '../store/timestamp.ts'
import { orNull, rowIdPattern, time } from './schema-parts.ts'

const fields = {
  id: Type.String({ pattern: rowIdPattern }),
  email: Type.String({ description: 'The name it has in tokens' }),
  name: Type.String(),
  project: Type.String(),
  state: Type.Enum(['active', 'disabled']),
  scopes: Type.Array(Type.String(), { description: 'The most that its tokens may hold' }),
  created_at: time('When it was made'),
  updated_at: time('When it was changed last'),
  disabled_at: orNull(time('When it was disabled')),
}

const key = Type.Object(
  {
    kid: Type.String({ description: '`private_key_id` of its credentials file' }),
    state: Type.Enum(['active', 'expired', 'revoked']),
    created_at: time('When it was made'),
    expires_at: orNull(time('When it ends')),
    revoked_at: orNull(time('When it was revoked')),
    last_used_at: orNull(time('Noted at most once a minute')),
  },
  { additionalProperties: false },
)

const credentials = Type.Object(
  {
    type: Type.String({ const: 'service_account' }),
    project_id: Type.String(),
    private_key_id: Type.String(),
    private_key: Type.String(),
    client_email: Type.String(),
    client_id: Type.String(),
    token_uri: Type.String(),
    universe_domain: Type.String(),
  },
  {
    description: 'What GOOGLE_APPLICATION_CREDENTIALS points at, shown this once',
    additionalProperties: false,
  },
)

export const accountSchema: TObject = Type.Object(fields, {
  title: 'ServiceAccount',
  additionalProperties: false,
})

export const accountWithKeysSchema: TObject = Type.Object(
  { ...fields, keys: Type.Array(key, { maxItems: 50, description: 'Its newest keys' }) },
  { title: 'ServiceAccountWithKeys', additionalProperties: false },
)

export const newAccountSchema: TObject = Type.Object(
  { ...fields, credentials },
  { title: 'NewServiceAccount', additionalProperties: false },
)

export function accountWithKeysView(
  account: ServiceAccount,
  keys: readonly ServiceAccountKey[],
  now: number,
): object {
  return { ...accountView(account), keys: keys.map((one) => accountKeyView(one, now)) }
}

export function newAccountView(account: ServiceAccount, file: CredentialsFile): object {
  return { ...accountView(account), credentials: file }
}

function accountKeyView(row: ServiceAccountKey, now: number): object {
  const isExpired = row.expires_at !== null && row.expires_at <= now
  return {
    kid: row.kid,
    state: row.revoked_at !== null ? 'revoked' : isExpired ? 'expired' : 'active',
    created_at: timestamp(row.created_at),
    expires_at: timestampOrNull(row.expires_at),
    revoked_at: timestampOrNull(row.revoked_at),
    last_used_at: timestampOrNull(row.last_used_at),
  }
}
