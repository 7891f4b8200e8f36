import { type Kysely, sql } from 'kysely'

/** What a caller keeps to begin many requests with. Times in microseconds. */
export interface CachedContent {
  readonly owner: string
  readonly id: string
  /** `projects/p/locations/l`, or nothing. */
  readonly parent: string
  /** As its maker named it, in full. */
  readonly model: string
  readonly display_name: string
  /** The kept part of a request, in JSON. */
  readonly content: string
  /** What it takes of its owner's room, in bytes. */
  readonly size: number
  readonly tokens: number
  readonly created_at: number
  readonly updated_at: number
  readonly expires_at: number
}

export async function createCachedContentTables<Schema>(db: Kysely<Schema>): Promise<void> {
  const statements = [
    sql`create table cached_contents (owner text not null, id text not null, parent text not null, model text not null,
      display_name text not null, content text not null, size bigint not null, tokens bigint not null,
      created_at bigint not null, updated_at bigint not null, expires_at bigint not null, primary key (owner, id))`,
    sql`create index cached_contents_list on cached_contents (owner, parent, created_at, id)`,
    sql`create index cached_contents_expiry on cached_contents (expires_at)`,
  ]
  for (const statement of statements) await statement.execute(db)
}
