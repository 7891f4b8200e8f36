import { type Kysely, sql } from 'kysely'

/** What `oidc-provider` keeps: codes, tokens, grants, sessions, interactions, registered clients. Times in microseconds. */
export interface AuthorityRecord {
  /** Its model: `AuthorizationCode`, `RefreshToken`, `Session` … */
  readonly kind: string
  readonly id: string
  readonly payload: string
  readonly grant_id: string | null
  /** Whose it is: the user, or the service account that a token was made for. */
  readonly account_id: string | null
  /** The second name by which a session or an interaction is found. */
  readonly uid: string | null
  readonly expires_at: number | null
  readonly consumed_at: number | null
}

/** A key that signs tokens. The private half is sealed with `authority.secret`. */
export interface AuthorityKey {
  readonly kid: string
  readonly algorithm: string
  readonly sealed: string
  readonly created_at: number
  /** From when it signs: it is published before that, so that nobody meets a key they cannot find. */
  readonly signs_from: number
  /** Until when it is published; null while nothing has taken its place. */
  readonly published_until: number | null
}

/** A secret that all instances share, such as the keys of cookies; sealed like the signing keys. */
export interface AuthoritySecret {
  readonly name: string
  readonly sealed: string
  readonly created_at: number
}

export interface AuthorityUser {
  readonly id: string
  /** What the person types, in lower case. */
  readonly login: string
  readonly display_name: string
  /** A scrypt hash with its parameters; null for those who sign in upstream. */
  readonly password: string | null
  readonly upstream_issuer: string | null
  readonly upstream_subject: string | null
  /** 1 for those who may grant scopes of the kind `admin`. */
  readonly is_admin: number
  readonly created_at: number
  readonly updated_at: number
  readonly disabled_at: number | null
  /** When all that they had was ended: whatever comes from a sign-in before it counts no more. */
  readonly signed_out_at: number | null
}

/** What is counted to be bounded: failed sign-ins, wrong secrets of clients, visits and registrations. */
export interface AuthorityThrottle {
  readonly subject: string
  readonly failures: number
  readonly last_failed_at: number
  readonly blocked_until: number
}

/** Which grant holds what a person has allowed a client. */
export interface AuthorityConsent {
  readonly user_id: string
  readonly client_id: string
  readonly grant_id: string
  readonly created_at: number
  readonly updated_at: number
}

export async function createAuthorityTables<Schema>(db: Kysely<Schema>): Promise<void> {
  const statements = [
    sql`create table authority_records (kind text not null, id text not null, payload text not null, grant_id text,
      account_id text, uid text, expires_at bigint, consumed_at bigint, primary key (kind, id))`,
    sql`create index authority_records_grant on authority_records (grant_id)`,
    sql`create index authority_records_account on authority_records (account_id)`,
    sql`create index authority_records_uid on authority_records (uid)`,
    sql`create index authority_records_expiry on authority_records (expires_at)`,
    sql`create table authority_keys (kid text primary key, algorithm text not null, sealed text not null,
      created_at bigint not null, signs_from bigint not null, published_until bigint)`,
    sql`create table authority_secrets (name text primary key, sealed text not null, created_at bigint not null)`,
    sql`create table authority_users (id text primary key, login text not null unique, display_name text not null,
      password text, upstream_issuer text, upstream_subject text, is_admin integer not null,
      created_at bigint not null, updated_at bigint not null, disabled_at bigint,
      signed_out_at bigint, unique (upstream_issuer, upstream_subject))`,
    sql`create table authority_throttles (subject text primary key, failures integer not null,
      last_failed_at bigint not null, blocked_until bigint not null)`,
    sql`create table authority_consents (user_id text not null, client_id text not null, grant_id text not null,
      created_at bigint not null, updated_at bigint not null, primary key (user_id, client_id))`,
  ]
  for (const statement of statements) await statement.execute(db)
}
