import { createSessionList, type SessionPlace, sessionSort } from '../audit/session-list.ts'
import { sessionView } from '../audit/session-view.ts'
import type { ApiClient } from '../client/api/api-client.ts'
import type { Session } from '../client/api/session.ts'
import { Failure } from '../failure/failure.ts'
import type { Session as SessionRow } from '../store/tables-audit.ts'
import { storedWalk } from './stored-walk.ts'
import type { OpenedStore } from './with-store.ts'

export type SessionPart = Pick<ApiClient, 'sessions' | 'session' | 'revokeSession'>

/** The sessions, without a gateway. */
export function storedSessions({ store, now }: OpenedStore): SessionPart {
  const kept = createSessionList(store, now)
  return {
    sessions: (options = {}) => {
      const { principal, issuer } = options
      const time = now()
      const view = (row: SessionRow): Session => sessionView(row, time)
      const sorts = { newest: sessionSort }
      return storedWalk<SessionPlace, SessionRow, Session>(
        {
          id: 'sessions',
          sorts,
          read: (order) => kept.list({ ...order, filters: { principal, issuer } }),
          view,
        },
        options,
      )
    },
    session: async (id) => {
      const found = await kept.find(id)
      if (found === undefined) throw unknownSession(id)
      return sessionView(found, now())
    },
    revokeSession: async (id) => {
      if ((await kept.revoke(id)) === undefined) throw unknownSession(id)
    },
  }
}

function unknownSession(id: string): Failure {
  return new Failure('not-found', `there is no session "${id}"; "postern sessions list" shows their ids`)
}
