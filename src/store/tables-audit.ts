import { type Kysely, sql } from 'kysely'
import type { Dialect } from '../paging/sql-writer.ts'

/** One decision, as it was recorded. Times in microseconds. */
export interface AuditEvent {
  /** Without gaps, in the order of commits: whoever has seen one has seen all before it. */
  readonly seq: number
  /** When it was recorded; never before that of the event before it. */
  readonly created_at: number
  /** `sub`; empty when nobody was identified. */
  readonly principal: string
  /** Who vouches for the principal; empty likewise. */
  readonly issuer: string
  /** The tool or model that was named, else what was asked for; on the surface `api` always the operation. */
  readonly action: string
  readonly decision: 'allow' | 'deny'
  readonly surface: 'tools' | 'models' | 'api'
  /** The event itself: JSON, byte for byte as its hash was made of it. */
  readonly body: string
  /** SHA-256 in hex over the hash of the event before it and this one. */
  readonly hash: string
}

/** The one row that says how far the chain has come; who appends locks it. */
export interface AuditChain {
  readonly id: 1
  /** The last event. */
  readonly seq: number
  readonly hash: string
  readonly created_at: number
  /** The last event that retention removed, on which the oldest kept one follows. */
  readonly trimmed_seq: number
  readonly trimmed_hash: string
  /** Of all bodies that are kept. */
  readonly bytes: number
}

/** How far the events of a spool are in the store: written in the same transaction as they are. */
export interface AuditSpool {
  readonly id: string
  readonly position: number
  readonly updated_at: number
}

/** A credential in use on one surface. */
export interface Session {
  readonly id: string
  readonly created_at: number
  readonly last_seen_at: number
  readonly surface: AuditEvent['surface']
  readonly principal: string
  /** What people know the principal by, as it was said last; null when nobody did. */
  readonly principal_name: string | null
  readonly issuer: string
  readonly client: string | null
  readonly credential_kind: string
  readonly credential_id: string
  /** When the credential ends by itself; null when nobody said. */
  readonly credential_expires_at: number | null
  /** The revision of the protocol that was spoken last. */
  readonly revision: string
  readonly calls: number
  readonly denials: number
  readonly tokens_in: number
  readonly tokens_out: number
  readonly revoked_at: number | null
}

/** What one principal used in one hour. */
export interface UsageHour {
  /** The beginning of the hour. */
  readonly hour: number
  readonly surface: AuditEvent['surface']
  readonly issuer: string
  readonly principal: string
  /** The tool or model; empty for what names none, for the surface `api`, and for all that was refused. */
  readonly target: string
  readonly calls: number
  readonly denials: number
  readonly tokens_in: number
  readonly tokens_out: number
}

/** A token that is refused although its issuer still vouches for it. */
export interface RevokedCredential {
  /** `<kind>:<id>`, as in a session. */
  readonly credential: string
  readonly revoked_at: number
  /** After this it is refused anyway; null when nobody said. */
  readonly expires_at: number | null
}

export async function createAuditTables<Schema>(db: Kysely<Schema>, dialect: Dialect): Promise<void> {
  const statements = [...eventTables[dialect], ...otherTables]
  for (const statement of statements) await statement.execute(db)
}

/** Sessions of before have none. */
export async function addSessionNames<Schema>(db: Kysely<Schema>): Promise<void> {
  await sql`alter table sessions add column principal_name text`.execute(db)
}

const eventColumns = sql.raw(`created_at bigint not null, principal text not null, issuer text not null,
  action text not null, decision text not null, surface text not null, body text not null, hash text not null`)

/** On SQLite the number is the rowid, which every index ends in by itself. */
const eventTables = {
  sqlite: [
    sql`create table audit_events (seq integer primary key, ${eventColumns})`,
    sql`create index audit_events_time on audit_events (created_at)`,
    sql`create index audit_events_owner on audit_events (principal, issuer)`,
    sql`create index audit_events_action on audit_events (action)`,
    sql`create index audit_events_decision on audit_events (decision)`,
    sql`create index audit_events_surface on audit_events (surface)`,
  ],
  postgres: [
    sql`create table audit_events (seq bigint primary key, ${eventColumns})`,
    sql`create index audit_events_time on audit_events (created_at, seq)`,
    sql`create index audit_events_owner on audit_events (principal, issuer, seq)`,
    sql`create index audit_events_action on audit_events (action, seq)`,
    sql`create index audit_events_decision on audit_events (decision, seq)`,
    sql`create index audit_events_surface on audit_events (surface, seq)`,
  ],
} as const satisfies Record<Dialect, unknown>

const otherTables = [
  sql`create table audit_chain (id integer primary key, seq bigint not null, hash text not null,
    created_at bigint not null, trimmed_seq bigint not null, trimmed_hash text not null, bytes bigint not null)`,
  sql`insert into audit_chain (id, seq, hash, created_at, trimmed_seq, trimmed_hash, bytes)
    values (1, 0, '', 0, 0, '', 0)`,
  sql`create table audit_spools (id text primary key, position bigint not null, updated_at bigint not null)`,
  sql`create table sessions (id text primary key, created_at bigint not null, last_seen_at bigint not null,
    surface text not null, principal text not null, issuer text not null, client text,
    credential_kind text not null, credential_id text not null, credential_expires_at bigint,
    revision text not null, calls bigint not null, denials bigint not null,
    tokens_in bigint not null, tokens_out bigint not null, revoked_at bigint)`,
  // None of these has a column that changes with every call: Postgres then leaves them alone.
  sql`create index sessions_list on sessions (created_at, id)`,
  sql`create index sessions_owner on sessions (principal, issuer, created_at, id)`,
  sql`create index sessions_credential on sessions (credential_id, surface, created_at)`,
  sql`create table usage_hours (hour bigint not null, surface text not null, issuer text not null,
    principal text not null, target text not null, calls bigint not null, denials bigint not null,
    tokens_in bigint not null, tokens_out bigint not null,
    primary key (hour, surface, issuer, principal, target))`,
  sql`create index usage_hours_owner on usage_hours (principal, issuer, hour)`,
  sql`create table revoked_credentials (credential text primary key, revoked_at bigint not null, expires_at bigint)`,
  sql`create index revoked_credentials_news on revoked_credentials (revoked_at)`,
]
