import { sql, type Transaction } from 'kysely'
import type { Store } from './store.ts'

/** Until the transaction ends, nobody else counts or names what this owner has; in SQLite every writer has the file for itself. */
export async function lockOwner<Schema>(
  transaction: Transaction<Schema>,
  dialect: Store['dialect'],
  owner: string,
): Promise<void> {
  if (dialect === 'sqlite') return
  await sql`select pg_advisory_xact_lock(hashtextextended(${owner}, 0))`.execute(transaction)
}
