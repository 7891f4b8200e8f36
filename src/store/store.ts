import type { Kysely } from 'kysely'
import type { ApiKey } from './tables-api-keys.ts'
import type {
  AuditChain,
  AuditEvent,
  AuditSpool,
  RevokedCredential,
  Session,
  UsageHour,
} from './tables-audit.ts'
import type {
  AuthorityConsent,
  AuthorityKey,
  AuthorityRecord,
  AuthoritySecret,
  AuthorityThrottle,
  AuthorityUser,
} from './tables-authority.ts'
import type { CachedContent } from './tables-cached-contents.ts'
import type { FileChunk, StoredFile } from './tables-files.ts'
import type { ServiceAccount, ServiceAccountKey } from './tables-service-accounts.ts'

/** The tables every Postern store has; each migration that adds a table adds its row type here. */
export interface StoreSchema {
  readonly postern_migrations: AppliedMigration
  readonly authority_records: AuthorityRecord
  readonly authority_keys: AuthorityKey
  readonly authority_secrets: AuthoritySecret
  readonly authority_users: AuthorityUser
  readonly authority_throttles: AuthorityThrottle
  readonly authority_consents: AuthorityConsent
  readonly api_keys: ApiKey
  readonly service_accounts: ServiceAccount
  readonly service_account_keys: ServiceAccountKey
  readonly files: StoredFile
  readonly file_chunks: FileChunk
  readonly cached_contents: CachedContent
  readonly audit_events: AuditEvent
  readonly audit_chain: AuditChain
  readonly audit_spools: AuditSpool
  readonly sessions: Session
  readonly usage_hours: UsageHour
  readonly revoked_credentials: RevokedCredential
}

export interface AppliedMigration {
  readonly position: number
  readonly name: string
  /** Microseconds since 1970, UTC. */
  readonly applied_at: number
}

/**
 * One database behind one interface. A transaction takes the write lock when it begins, unless it is set 'read only';
 * inside it use only the transaction's own handle, because SQLite has one connection and would wait for itself.
 */
export interface Store<Schema = StoreSchema> {
  readonly dialect: 'sqlite' | 'postgres'
  readonly db: Kysely<Schema>
  /** Resolves when the database answers, otherwise throws a Failure that says why. */
  readonly ping: () => Promise<void>
  readonly close: () => Promise<void>
}
