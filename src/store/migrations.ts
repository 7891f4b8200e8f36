import type { Migration } from './migrate.ts'
import { createAuthorityTables } from './tables-authority.ts'
import { createServiceAccountTables } from './tables-service-accounts.ts'

/** In the order they run. A released migration is never edited, moved or removed: the next change is a new one at the end. */
export const migrations: readonly Migration[] = [
  { name: 'authority', up: createAuthorityTables },
  { name: 'service accounts', up: createServiceAccountTables },
]
