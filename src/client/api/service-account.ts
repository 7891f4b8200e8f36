import { listOf, objectOf, oneOf, orNull, type Reader, text } from '../wire-reader.ts'

/** An identity of a program. Times are texts of RFC 3339. */
export interface ServiceAccount {
  readonly id: string
  /** The name it has in tokens. */
  readonly email: string
  readonly name: string
  readonly project: string
  readonly state: 'active' | 'disabled'
  /** The most that its tokens may hold. */
  readonly scopes: readonly string[]
  readonly created_at: string
  readonly updated_at: string
  readonly disabled_at: string | null
}

export interface ServiceAccountKey {
  /** The `private_key_id` of its file. */
  readonly kid: string
  readonly state: 'active' | 'expired' | 'revoked'
  readonly created_at: string
  readonly expires_at: string | null
  readonly revoked_at: string | null
  readonly last_used_at: string | null
}

export interface ServiceAccountWithKeys extends ServiceAccount {
  /** Its newest keys. */
  readonly keys: readonly ServiceAccountKey[]
}

/** The file that `GOOGLE_APPLICATION_CREDENTIALS` names. */
export interface CredentialsFile {
  readonly type: 'service_account'
  readonly project_id: string
  readonly private_key_id: string
  readonly private_key: string
  readonly client_email: string
  readonly client_id: string
  readonly token_uri: string
  readonly universe_domain: string
}

export interface NewServiceAccount extends ServiceAccount {
  /** Shown this once. */
  readonly credentials: CredentialsFile
}

export interface ServiceAccountOrder {
  readonly name: string
  /** Default `postern`. */
  readonly project?: string
  readonly scopes: readonly string[]
}

export interface ServiceAccountChanges {
  readonly scopes?: readonly string[]
  readonly disabled?: boolean
}

const fields = {
  id: text,
  email: text,
  name: text,
  project: text,
  state: oneOf(['active', 'disabled']),
  scopes: listOf(text),
  created_at: text,
  updated_at: text,
  disabled_at: orNull(text),
}

const key = objectOf<ServiceAccountKey>({
  kid: text,
  state: oneOf(['active', 'expired', 'revoked']),
  created_at: text,
  expires_at: orNull(text),
  revoked_at: orNull(text),
  last_used_at: orNull(text),
})

const credentials = objectOf<CredentialsFile>({
  type: oneOf(['service_account']),
  project_id: text,
  private_key_id: text,
  private_key: text,
  client_email: text,
  client_id: text,
  token_uri: text,
  universe_domain: text,
})

export const serviceAccount: Reader<ServiceAccount> = objectOf<ServiceAccount>(fields)
export const serviceAccountWithKeys: Reader<ServiceAccountWithKeys> = objectOf<ServiceAccountWithKeys>({
  ...fields,
  keys: listOf(key),
})
export const newServiceAccount: Reader<NewServiceAccount> = objectOf<NewServiceAccount>({
  ...fields,
  credentials,
})
