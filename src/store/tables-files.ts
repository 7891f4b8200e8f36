import { type Kysely, sql } from 'kysely'

/** A file, from the first byte of its upload until its bytes are gone. Times in microseconds. */
export interface StoredFile {
  /** The SHA-256 of its upload's id, in hex; the id itself is kept nowhere. */
  readonly upload: string
  readonly owner: string
  /** Its name among the files of its owner, unique while it is stored. */
  readonly id: string
  readonly status: 'uploading' | 'stored' | 'ended'
  readonly display_name: string
  readonly mime_type: string
  /** What the uploader said; null when nothing was said. */
  readonly announced_size: number | null
  /** What has arrived. */
  readonly size: number
  /** What it takes of its owner's room. */
  readonly counted_size: number
  /** In hex, as soon as it is stored. */
  readonly sha256: string | null
  /** The credential that began the upload. */
  readonly credential_kind: string
  readonly credential_id: string
  readonly created_at: number
  readonly updated_at: number
  readonly expires_at: number
}

/** A piece of a file, of about a mebibyte. */
export interface FileChunk {
  readonly upload: string
  readonly starts_at: number
  readonly bytes: Uint8Array
}

export async function createFileTables<Schema>(
  db: Kysely<Schema>,
  dialect: 'sqlite' | 'postgres',
): Promise<void> {
  const bytes = sql.raw(dialect === 'postgres' ? 'bytea' : 'blob')
  const statements = [
    sql`create table files (upload text primary key, owner text not null, id text not null, status text not null,
      display_name text not null, mime_type text not null, announced_size bigint, size bigint not null,
      counted_size bigint not null, sha256 text, credential_kind text not null, credential_id text not null,
      created_at bigint not null, updated_at bigint not null, expires_at bigint not null)`,
    sql`create unique index files_name on files (owner, id) where status = 'stored'`,
    sql`create index files_list on files (owner, created_at, id)`,
    sql`create index files_expiry on files (expires_at)`,
    sql`create table file_chunks (upload text not null, starts_at bigint not null, bytes ${bytes} not null,
      primary key (upload, starts_at))`,
  ]
  for (const statement of statements) await statement.execute(db)
  // Most files are compressed already, and trying it again costs more than it saves.
  if (dialect === 'postgres')
    await sql`alter table file_chunks alter column bytes set storage external`.execute(db)
}
