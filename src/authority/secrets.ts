import { randomBytes } from 'node:crypto'
import { Failure } from '../failure/failure.ts'
import type { Clock } from '../store/clock.ts'
import type { Store } from '../store/store.ts'
import type { Seal } from './sealed.ts'

export interface SecretOptions {
  readonly seal: Seal
  readonly now: Clock
}

/** A random text that all instances share; the first one to ask makes it. */
export async function sharedSecret(store: Store, name: string, options: SecretOptions): Promise<string> {
  const label = `secret ${name}`
  const sealed = options.seal.close(randomBytes(32).toString('base64url'), label)
  await store.db
    .insertInto('authority_secrets')
    .values({ name, sealed, created_at: options.now() })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  const row = await store.db
    .selectFrom('authority_secrets')
    .select('sealed')
    .where('name', '=', name)
    .executeTakeFirst()
  if (row === undefined) throw new Failure('internal', `the secret ${name} is not in the store`)
  return options.seal.open(row.sealed, label)
}
