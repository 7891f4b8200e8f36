import { hash, randomBytes } from 'node:crypto'
import type { KeyOrder } from './api-key-order.ts'
import { rowId } from './row-id.ts'
import type { ApiKey } from './tables-api-keys.ts'

export interface NewApiKey {
  readonly row: ApiKey
  /** Shown this once. */
  readonly key: string
}

/** The name under which a key is found. */
export function keyHash(key: string): string {
  return hash('sha256', key)
}

/** 256 random bits; a hash without salt is enough for what cannot be guessed. */
export function makeApiKey(order: KeyOrder, time: number): NewApiKey {
  const key = `postern_${randomBytes(32).toString('base64url')}`
  const row: ApiKey = {
    id: rowId(time, randomBytes(8)),
    name: order.name,
    principal: order.principal ?? order.name,
    hash: keyHash(key),
    hint: key.slice(-4),
    scopes: words(order.scopes),
    models: words(order.models),
    addresses: words(order.addresses),
    created_at: time,
    updated_at: time,
    expires_at: order.expiresAt ?? null,
    revoked_at: null,
    last_used_at: null,
    replaced_by: null,
  }
  return { row, key }
}

/** A key with the rights of another, made to live as long as that one was. `at` is `time` on the wall clock. */
export function makeSuccessor(old: ApiKey, time: number, at: number): NewApiKey {
  const { row, key } = makeApiKey({ name: old.name, principal: old.principal }, time)
  const { scopes, models, addresses } = old
  // A key may have been made by a clock that was fast: its successor ends no earlier than it.
  const end = old.expires_at === null ? null : Math.max(at - old.created_at, 0) + old.expires_at
  // What is no exact number SQLite gives back as an error, in every list that holds the row.
  const expires_at = end === null ? null : Math.min(end, Number.MAX_SAFE_INTEGER)
  return { row: { ...row, scopes, models, addresses, expires_at }, key }
}

/** A list as its column holds it; null for no limit. */
export function words(list: readonly string[] | null | undefined): string | null {
  return list === undefined || list === null ? null : [...new Set(list)].join(' ')
}
