import type { Kysely } from 'kysely'
import type { Page } from '../paging/page.ts'
import type { PageRequest } from '../paging/page-request.ts'
import type { Pager } from '../paging/pager.ts'
import type { Sort } from '../paging/sort.ts'
import type { Clock } from '../store/clock.ts'
import { readPage } from '../store/read-page.ts'
import type { Store, StoreSchema } from '../store/store.ts'
import type { Session } from '../store/tables-audit.ts'
import { columnText } from './audit-line.ts'
import { revokeSession } from './session-revocation.ts'

export type SessionPlace = Pick<Session, 'created_at' | 'id'>

/** Of whom alone sessions are seen and ended; whatever belongs to others is not there. */
interface SessionOwner {
  readonly issuer: string
  readonly principal: string
}

interface SessionFilters {
  readonly principal?: string | undefined
  readonly issuer?: string | undefined
}

export interface SessionList {
  readonly list: (list: {
    readonly pager: Pager<SessionPlace>
    readonly request: PageRequest
    readonly filters?: SessionFilters
  }) => Promise<Page<Session>>
  readonly find: (id: string, owner?: SessionOwner) => Promise<Session | undefined>
  /** Ends the credential of the session, and so every session of it; undefined when there is no such session. */
  readonly revoke: (id: string, owner?: SessionOwner) => Promise<'revoked' | 'already' | undefined>
}

export const sessionSort: Sort<keyof SessionPlace> = [
  { column: 'created_at', type: 'integer', direction: 'descending' },
  { column: 'id', type: 'text', direction: 'descending', unique: true },
]

export function createSessionList(store: Store, now: Clock): SessionList {
  const find = async (
    db: Kysely<StoreSchema>,
    id: string,
    owner: SessionOwner | undefined,
  ): Promise<Session | undefined> => {
    const query = db.selectFrom('sessions').selectAll().where('id', '=', columnText(id))
    const session = await query.executeTakeFirst()
    return session === undefined || owner === undefined || isOf(session, owner) ? session : undefined
  }
  return {
    list: ({ pager, request, filters = {} }) => {
      const { principal, issuer } = filters
      const all = store.db.selectFrom('sessions').selectAll()
      const named = principal === undefined ? all : all.where('principal', '=', columnText(principal))
      const query = issuer === undefined ? named : named.where('issuer', '=', columnText(issuer))
      return readPage(store, { pager, request, query })
    },
    find: (id, owner) => find(store.db, id, owner),
    revoke: (id, owner) =>
      revokeSession(store, { time: now(), find: (transaction) => find(transaction, id, owner) }),
  }
}

function isOf(session: Session, { principal, issuer }: SessionOwner): boolean {
  return session.principal === columnText(principal) && session.issuer === columnText(issuer)
}
