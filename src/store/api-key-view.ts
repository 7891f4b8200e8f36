import type { ApiKey } from './tables-api-keys.ts'
import { timestamp, timestampOrNull } from './timestamp.ts'

/** What people and programs are shown of a key: nothing that helps to guess it. Times in RFC 3339. */
export interface ApiKeyView {
  readonly id: string
  readonly name: string
  readonly principal: string
  readonly hint: string
  readonly state: 'active' | 'expired' | 'revoked'
  /** Null for everything that a key may do. */
  readonly scopes: readonly string[] | null
  /** Null for all models. */
  readonly models: readonly string[] | null
  /** Null for all addresses. */
  readonly addresses: readonly string[] | null
  readonly created_at: string
  readonly updated_at: string
  readonly expires_at: string | null
  readonly revoked_at: string | null
  readonly last_used_at: string | null
  /** The key that was made in its place. */
  readonly replaced_by: string | null
}

/** `now` in microseconds since 1970. */
export function apiKeyView(row: ApiKey, now: number): ApiKeyView {
  return {
    id: row.id,
    name: row.name,
    principal: row.principal,
    hint: row.hint,
    state: stateOf(row, now),
    scopes: words(row.scopes),
    models: words(row.models),
    addresses: words(row.addresses),
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
    expires_at: timestampOrNull(row.expires_at),
    revoked_at: timestampOrNull(row.revoked_at),
    last_used_at: timestampOrNull(row.last_used_at),
    replaced_by: row.replaced_by,
  }
}

function stateOf({ revoked_at, expires_at }: ApiKey, now: number): ApiKeyView['state'] {
  if (revoked_at !== null) return 'revoked'
  return expires_at !== null && expires_at <= now ? 'expired' : 'active'
}

function words(text: string | null): readonly string[] | null {
  return text === null ? null : text.split(' ')
}
