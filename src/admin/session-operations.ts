import { Type } from 'typebox'
import { createSessionList, type SessionPlace, sessionSort } from '../audit/session-list.ts'
import { sessionView } from '../audit/session-view.ts'
import { Failure } from '../failure/failure.ts'
import { definePager } from '../paging/pager.ts'
import type { AdminParts } from './admin-parts.ts'
import type { Operation } from './operation.ts'
import { ownFilters, refuseLoneIssuer } from './own-filters.ts'
import { count, orNull, rowIdPattern, surface, time } from './schema-parts.ts'

const session = Type.Object(
  {
    id: Type.String({ pattern: rowIdPattern }),
    created_at: time('First seen'),
    last_seen_at: time('Last seen'),
    state: Type.Enum(['active', 'idle', 'revoked'], { description: 'Idle after 30 minutes without a call' }),
    surface,
    principal: Type.String(),
    principal_name: orNull(
      Type.String({
        description: 'What people know the principal by, where a credential said so; only to be shown',
      }),
    ),
    issuer: Type.String({ description: 'Who vouches for the principal' }),
    client: orNull(Type.String({ description: 'The client that the token was given to' })),
    credential: Type.Object(
      {
        kind: Type.String({ description: 'jwt, introspection, api-key or service-account' }),
        id: Type.String({ description: 'What names the credential without being one' }),
        expires_at: orNull(time('When it ends by itself')),
      },
      { additionalProperties: false },
    ),
    revision: Type.String({ description: 'The revision of the protocol that was spoken last' }),
    calls: count('Calls, refused ones among them'),
    denials: count('Refused calls'),
    tokens_in: count('What models read'),
    tokens_out: count('What models wrote'),
    revoked_at: orNull(time('When it was ended')),
  },
  { title: 'Session', additionalProperties: false },
)

const listQuery = Type.Object({
  principal: Type.Optional(Type.String({ description: 'Whose sessions' })),
  issuer: Type.Optional(Type.String({ description: 'Who vouches for the principal; only beside one' })),
})

/** `/sessions`: the credentials in use. */
export function sessionOperations({ store, now }: AdminParts): readonly Operation[] {
  const sessions = createSessionList(store, now)
  const pager = definePager<SessionPlace>({ id: 'sessions', style: 'offset', sorts: { newest: sessionSort } })
  return [
    {
      method: 'GET',
      path: '/sessions',
      id: 'listSessions',
      summary: 'The credentials in use and how much they were used, newest first',
      scope: 'sessions:read',
      ownScope: 'own:read',
      query: listQuery,
      pageStyle: 'offset',
      answer: session,
      status: 200,
      run: async ({ query, owner }) => {
        refuseLoneIssuer(query)
        const filters = ownFilters(owner, query)
        const page = await sessions.list({ pager, request: pager.parse(query), filters })
        const time = now()
        return { page: { ...page, items: page.items.map((row) => sessionView(row, time)) } }
      },
    },
    {
      method: 'GET',
      path: '/sessions/{id}',
      id: 'getSession',
      summary: 'One session',
      scope: 'sessions:read',
      ownScope: 'own:read',
      answer: session,
      status: 200,
      run: async ({ id, owner }) => {
        const found = await sessions.find(id, owner)
        if (found === undefined) throw unknownSession(id)
        return { body: sessionView(found, now()) }
      },
    },
    {
      method: 'DELETE',
      path: '/sessions/{id}',
      id: 'revokeSession',
      summary:
        'Refuse the token or key of a session from now on, on every surface and instance within a second',
      scope: 'sessions:write',
      ownScope: 'own:write',
      status: 204,
      run: async ({ id, owner }) => {
        if ((await sessions.revoke(id, owner)) === undefined) throw unknownSession(id)
        return { empty: true }
      },
    },
  ]
}

function unknownSession(id: string): Failure {
  return new Failure('not-found', `there is no session ${id}`)
}
