import { type Kysely, sql } from 'kysely'

/** An API key. The key itself is kept nowhere: only its SHA-256. Times in microseconds. */
export interface ApiKey {
  readonly id: string
  readonly name: string
  /** Whom it acts for, in limits and in the record of calls. */
  readonly principal: string
  /** Of the whole key, in hex. */
  readonly hash: string
  /** Its last four characters, by which people tell keys apart. */
  readonly hint: string
  /** What it may do, separated by spaces; null for everything that a key may do. */
  readonly scopes: string | null
  /** The models it may call, `*` for any text, separated by spaces; null for all. */
  readonly models: string | null
  /** The addresses and ranges it may come from, separated by spaces; null for all. */
  readonly addresses: string | null
  readonly created_at: number
  readonly updated_at: number
  readonly expires_at: number | null
  readonly revoked_at: number | null
  readonly last_used_at: number | null
  /** The id of the key that a rotation made in its place. */
  readonly replaced_by: string | null
}

export async function createApiKeyTables<Schema>(db: Kysely<Schema>): Promise<void> {
  const statements = [
    sql`create table api_keys (id text primary key, name text not null, principal text not null,
      hash text not null unique, hint text not null, scopes text, models text, addresses text,
      created_at bigint not null, updated_at bigint not null, expires_at bigint, revoked_at bigint,
      last_used_at bigint, replaced_by text)`,
    sql`create index api_keys_list on api_keys (created_at, id)`,
  ]
  for (const statement of statements) await statement.execute(db)
}
