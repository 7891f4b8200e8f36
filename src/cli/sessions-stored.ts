import { createSessionList, type SessionPlace, sessionSort } from '../audit/session-list.ts'
import type { ApiClient } from '../client/api/api-client.ts'
import type { Session } from '../client/api/session.ts'
import { Failure } from '../failure/failure.ts'
import type { Session as SessionRow } from '../store/tables-audit.ts'
import { timestamp, timestampOrNull } from '../store/timestamp.ts'
import { storedWalk } from './stored-walk.ts'
import type { OpenedStore } from './with-store.ts'

export type SessionPart = Pick<ApiClient, 'sessions' | 'session' | 'revokeSession'>

/** The sessions, without a gateway. */
export function storedSessions({ store, now }: OpenedStore): SessionPart {
  const kept = createSessionList(store, now)
  return {
    sessions: (options) => {
      const time = now()
      const view = (row: SessionRow): Session => wireSession(row, time)
      const sorts = { newest: sessionSort }
      return storedWalk<SessionPlace, SessionRow, Session>(
        { id: 'sessions', sorts, read: kept.list, view },
        options,
      )
    },
    session: async (id) => {
      const found = await kept.find(id)
      if (found === undefined) throw unknownSession(id)
      return wireSession(found, now())
    },
    revokeSession: async (id) => {
      const outcome = await kept.revoke(id)
      if (outcome === undefined) throw unknownSession(id)
      if (outcome === 'already') throw new Failure('conflict', `the session ${id} is revoked already`)
    },
  }
}

function unknownSession(id: string): Failure {
  return new Failure('not-found', `there is no session "${id}"; "postern sessions list" shows their ids`)
}

const idleAfter = 30 * 60 * 1_000_000

function wireSession(row: SessionRow, now: number): Session {
  const isIdle = row.last_seen_at + idleAfter <= now
  return {
    id: row.id,
    created_at: timestamp(row.created_at),
    last_seen_at: timestamp(row.last_seen_at),
    state: row.revoked_at !== null ? 'revoked' : isIdle ? 'idle' : 'active',
    surface: row.surface,
    principal: row.principal,
    principal_name: row.principal_name,
    issuer: row.issuer,
    client: row.client,
    credential: {
      kind: row.credential_kind,
      id: row.credential_id,
      expires_at: timestampOrNull(row.credential_expires_at),
    },
    revision: row.revision,
    calls: row.calls,
    denials: row.denials,
    tokens_in: row.tokens_in,
    tokens_out: row.tokens_out,
    revoked_at: timestampOrNull(row.revoked_at),
  }
}
