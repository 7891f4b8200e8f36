import type { Migration } from './migrate.ts'
import { createApiKeyTables } from './tables-api-keys.ts'
import { addSessionNames, createAuditTables } from './tables-audit.ts'
import { createAuthorityTables } from './tables-authority.ts'
import { createCachedContentTables } from './tables-cached-contents.ts'
import { createFileTables } from './tables-files.ts'
import { createServiceAccountTables } from './tables-service-accounts.ts'

/** In the order they run. A released migration is never edited, moved or removed: the next change is a new one at the end. */
export const migrations: readonly Migration[] = [
  { name: 'authority', up: createAuthorityTables },
  { name: 'service accounts', up: createServiceAccountTables },
  { name: 'api keys', up: createApiKeyTables },
  { name: 'files', up: createFileTables },
  { name: 'cached contents', up: createCachedContentTables },
  { name: 'audit', up: createAuditTables },
  { name: 'session names', up: addSessionNames },
]
