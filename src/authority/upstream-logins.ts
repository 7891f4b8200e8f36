import { hash } from 'node:crypto'
import type { Clock } from '../store/clock.ts'
import type { Store } from '../store/store.ts'
import { createSeal } from './sealed.ts'
import type { UpstreamLogin } from './upstream-exchange.ts'

/**
 * Sign-ins that are under way at the upstream, so that the person may come back to any instance. What is kept is sealed with
 * the `state`, of which only the browser knows more than the hash.
 */
export interface UpstreamLogins {
  readonly keep: (interactionUid: string, login: UpstreamLogin) => Promise<void>
  /** The interaction that a `state` belongs to, also when its login was given already. */
  readonly interactionOf: (state: string) => Promise<string | undefined>
  /** Gives the login to the first who asks, and only for the interaction that began it. */
  readonly take: (interactionUid: string, state: string) => Promise<UpstreamLogin | undefined>
}

export function createUpstreamLogins(store: Store, now: Clock): UpstreamLogins {
  return {
    keep: async (interactionUid, login) => {
      const row = {
        kind,
        id: idOf(login.state),
        payload: createSeal(login.state).close(
          JSON.stringify({ nonce: login.nonce, verifier: login.verifier }),
          interactionUid,
        ),
        grant_id: null,
        uid: interactionUid,
        expires_at: now() + lifetime,
        consumed_at: null,
      }
      await store.db.insertInto('authority_records').values(row).execute()
    },
    interactionOf: async (state) => {
      const row = await store.db
        .selectFrom('authority_records')
        .select('uid')
        .where('kind', '=', kind)
        .where('id', '=', idOf(state))
        .where('expires_at', '>', now())
        .executeTakeFirst()
      return row?.uid ?? undefined
    },
    take: async (interactionUid, state) => {
      const at = now()
      const row = await store.db
        .updateTable('authority_records')
        .set({ consumed_at: at })
        .where('kind', '=', kind)
        .where('id', '=', idOf(state))
        .where('uid', '=', interactionUid)
        .where('expires_at', '>', at)
        .where('consumed_at', 'is', null)
        .returning('payload')
        .executeTakeFirst()
      if (row === undefined) return undefined
      const opened = createSeal(state).open(row.payload, interactionUid)
      const { nonce, verifier }: Omit<UpstreamLogin, 'state'> = JSON.parse(opened)
      return { state, nonce, verifier }
    },
  }
}

const kind = 'UpstreamLogin'
const lifetime = 600 * 1_000_000

function idOf(state: string): string {
  return hash('sha256', state, 'base64url')
}
