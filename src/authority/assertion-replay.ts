import { createHash } from 'node:crypto'
import type { Store } from '../store/store.ts'
import type { CheckedAssertion } from './assertion-check.ts'
import { refusal } from './machine-answer.ts'

/** RFC 7523, section 3, item 7: an assertion with a `jti` is good for one token, on whichever instance. */
export async function spendAssertion(store: Store, assertion: CheckedAssertion): Promise<void> {
  const { account, jti, refusedFrom } = assertion
  if (jti === undefined) return
  const added = await store.db
    .insertInto('authority_records')
    .values({
      kind: 'Assertion',
      id: createHash('sha256').update(`${account.id}\n${jti}`).digest('base64url'),
      payload: '{}',
      grant_id: null,
      uid: null,
      expires_at: Math.ceil(refusedFrom) * 1_000_000,
      consumed_at: null,
    })
    .onConflict((conflict) => conflict.columns(['kind', 'id']).doNothing())
    .executeTakeFirst()
  if (added.numInsertedOrUpdatedRows === 1n) return
  throw refusal('invalid_grant', 'the assertion was used before; its jti must be new each time')
}
