import { CompiledQuery, type Kysely } from 'kysely'
import { Failure } from '../failure/failure.ts'
import type { Store, StoreSchema } from '../store/store.ts'
import type { AuditChain } from '../store/tables-audit.ts'

/** Whoever changes events or sessions has this row first: one at a time, and never two that wait for each other. */
export async function lockChain(db: Kysely<StoreSchema>, dialect: Store['dialect']): Promise<AuditChain> {
  const query: CompiledQuery<AuditChain> = CompiledQuery.raw(texts[dialect])
  const [chain] = (await db.executeQuery(query)).rows
  if (chain !== undefined) return chain
  throw new Failure('unavailable', 'the store has lost the row audit_chain: nothing can be recorded in it')
}

const columns = 'id, seq, hash, created_at, trimmed_seq, trimmed_hash, bytes'

const texts = {
  // The transaction has locked the whole file.
  sqlite: `select ${columns} from audit_chain where id = 1`,
  // A database that acknowledges before it has written is made to write, for this transaction.
  postgres: `select ${columns}, case when current_setting('synchronous_commit') = 'off'
    then set_config('synchronous_commit', 'on', true) end from audit_chain where id = 1 for update`,
} as const satisfies Record<Store['dialect'], string>
