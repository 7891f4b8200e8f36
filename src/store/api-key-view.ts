import type { ApiKey } from './tables-api-keys.ts'

/** What people and machines are shown of a key: nothing that helps to guess it. Times in RFC 3339. */
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
  readonly createdAt: string
  readonly expiresAt: string | null
  readonly revokedAt: string | null
  readonly lastUsedAt: string | null
  /** The key that was made in its place. */
  readonly replacedBy: string | null
}

/** `now` in microseconds since 1970. */
export function viewApiKey(row: ApiKey, now: number): ApiKeyView {
  return {
    id: row.id,
    name: row.name,
    principal: row.principal,
    hint: row.hint,
    state: stateOf(row, now),
    scopes: words(row.scopes),
    models: words(row.models),
    addresses: words(row.addresses),
    createdAt: moment(row.created_at),
    expiresAt: momentOrNull(row.expires_at),
    revokedAt: momentOrNull(row.revoked_at),
    lastUsedAt: momentOrNull(row.last_used_at),
    replacedBy: row.replaced_by,
  }
}

function stateOf({ revoked_at, expires_at }: ApiKey, now: number): ApiKeyView['state'] {
  if (revoked_at !== null) return 'revoked'
  return expires_at !== null && expires_at <= now ? 'expired' : 'active'
}

function words(text: string | null): readonly string[] | null {
  return text === null ? null : text.split(' ')
}

function momentOrNull(microseconds: number | null): string | null {
  return microseconds === null ? null : moment(microseconds)
}

function moment(microseconds: number): string {
  return new Date(microseconds / 1000).toISOString()
}
