import { type Kysely, sql } from 'kysely'

/** A server-side identity. Times in microseconds. */
export interface ServiceAccount {
  readonly id: string
  /** `name@project.iam.host`, the name it has in tokens. */
  readonly email: string
  readonly name: string
  readonly project: string
  /** The most it may be given, separated by spaces. */
  readonly scopes: string
  readonly created_at: number
  readonly updated_at: number
  readonly disabled_at: number | null
}

/** The public half of a key of a service account; the private half is in its credentials file and nowhere else. */
export interface ServiceAccountKey {
  readonly kid: string
  readonly service_account_id: string
  /** A public RSA key as a JWK, in JSON. */
  readonly public_jwk: string
  readonly created_at: number
  readonly expires_at: number | null
  readonly revoked_at: number | null
  readonly last_used_at: number | null
}

export async function createServiceAccountTables<Schema>(db: Kysely<Schema>): Promise<void> {
  const statements = [
    sql`create table service_accounts (id text primary key, email text not null unique, name text not null,
      project text not null, scopes text not null, created_at bigint not null, updated_at bigint not null,
      disabled_at bigint)`,
    sql`create index service_accounts_list on service_accounts (created_at, id)`,
    sql`create table service_account_keys (kid text primary key,
      service_account_id text not null references service_accounts (id), public_jwk text not null,
      created_at bigint not null, expires_at bigint, revoked_at bigint, last_used_at bigint)`,
    sql`create index service_account_keys_owner on service_account_keys (service_account_id)`,
  ]
  for (const statement of statements) await statement.execute(db)
}
