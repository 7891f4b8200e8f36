import { listOf, objectOf, oneOf, orNull, type Reader, text } from '../wire-reader.ts'

/** An API key of the model API, without the key. Times are texts of RFC 3339. */
export interface ApiKey {
  readonly id: string
  readonly name: string
  readonly principal: string
  /** Its last four characters. */
  readonly hint: string
  readonly state: 'active' | 'expired' | 'revoked'
  /** Null for all that a key can. */
  readonly scopes: readonly string[] | null
  /** Null for all. */
  readonly models: readonly string[] | null
  /** Null for all. */
  readonly addresses: readonly string[] | null
  readonly created_at: string
  readonly updated_at: string
  readonly expires_at: string | null
  readonly revoked_at: string | null
  readonly last_used_at: string | null
  readonly replaced_by: string | null
}

export interface NewApiKey extends ApiKey {
  /** The key itself, shown this once. */
  readonly key: string
}

export interface ApiKeyOrder extends ApiKeyLimits {
  readonly name: string
  /** Whom it acts for. Default: its name. */
  readonly principal?: string
}

export interface ApiKeyChanges extends ApiKeyLimits {
  readonly name?: string
}

export interface ApiKeyLimits {
  readonly scopes?: readonly string[] | null
  readonly models?: readonly string[] | null
  readonly addresses?: readonly string[] | null
  readonly expires_at?: string | null
}

const fields = {
  id: text,
  name: text,
  principal: text,
  hint: text,
  state: oneOf(['active', 'expired', 'revoked']),
  scopes: orNull(listOf(text)),
  models: orNull(listOf(text)),
  addresses: orNull(listOf(text)),
  created_at: text,
  updated_at: text,
  expires_at: orNull(text),
  revoked_at: orNull(text),
  last_used_at: orNull(text),
  replaced_by: orNull(text),
}

export const apiKey: Reader<ApiKey> = objectOf<ApiKey>(fields)
export const newApiKey: Reader<NewApiKey> = objectOf<NewApiKey>({ ...fields, key: text })
