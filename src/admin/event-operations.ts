import { Type } from 'typebox'
import type { EventFilters } from '../audit/event-filters.ts'
import { createEventList, type EventPlace, eventSorts } from '../audit/event-list.ts'
import { eventView } from '../audit/event-view.ts'
import { pageFailure } from '../paging/page-failure.ts'
import type { PageRequest } from '../paging/page-request.ts'
import { definePager, type Pager } from '../paging/pager.ts'
import { type AdminParts, audienceOf } from './admin-parts.ts'
import { eventSchema } from './event-schema.ts'
import { createEventTail } from './event-tail.ts'
import type { AdminCall, Operation } from './operation.ts'
import { ownFilters, refuseLoneIssuer } from './own-filters.ts'
import { givenTime, surface, time } from './schema-parts.ts'

const filters = {
  principal: Type.Optional(Type.String({ description: 'Whose calls' })),
  issuer: Type.Optional(Type.String({ description: 'Who vouches for the principal; only beside one' })),
  action: Type.Optional(
    Type.String({
      description:
        'A tool, a model, or what was asked for where neither was named; of this API an operation such as DELETE /api/v1/keys/{id}',
    }),
  ),
  decision: Type.Optional(Type.Enum(['allow', 'deny'])),
  surface: Type.Optional(surface),
  from: Type.Optional(time('Recorded then or later')),
  to: Type.Optional(time('Recorded then or earlier')),
}

const listQuery = Type.Object({
  ...filters,
  order: Type.Optional(Type.Enum(['newest', 'oldest'], { default: 'newest' })),
})

const streamQuery = Type.Object({
  ...filters,
  cursor: Type.Optional(
    Type.String({
      description: 'The id of an event of this stream, or a cursor of the list with order=oldest',
    }),
  ),
})

/** `/events`: the record of every decision. */
export function eventOperations({ store, tokens }: AdminParts): readonly Operation[] {
  const events = createEventList(store)
  const pager = definePager<EventPlace>({
    id: 'events',
    style: 'cursor',
    sorts: eventSorts,
    tokens,
    isPrivate: true,
  })
  const shared = { scope: 'events:read', ownScope: 'own:read', answer: eventSchema, status: 200 } as const
  return [
    {
      ...shared,
      method: 'GET',
      path: '/events',
      id: 'listEvents',
      summary: 'Every decision of the gateway, newest first unless told otherwise',
      query: listQuery,
      pageStyle: 'cursor',
      run: async (call) => {
        const asked = filtersOf(call)
        const request = pager.parse(call.query, {
          ...contextOf(call, asked),
          sort: call.query.order ?? 'newest',
        })
        if ((call.query.order === 'oldest') !== request.backward)
          refuseBeyond(request, request.position === null ? 0 : await events.head())
        const page = await events.list({ pager, request, filters: asked })
        return { page: { ...page, items: page.items.map(eventView) } }
      },
    },
    {
      ...shared,
      method: 'GET',
      path: '/events:stream',
      id: 'streamEvents',
      summary: 'Decisions as they are recorded, as server-sent events, from a cursor on or from now on',
      query: streamQuery,
      isStream: true,
      run: async (call) => {
        const asked = filtersOf(call)
        const request = beginning(pager, call, asked)
        const head = await events.head()
        refuseBeyond(request, head)
        const after = placeOf(request) ?? head
        const cursorOf = (place: EventPlace): string => cursorAt(pager, request, place)
        return { source: createEventTail({ events, filters: asked, after, cursorOf }) }
      },
    },
  ]
}

function filtersOf({ query, owner }: AdminCall<unknown>): EventFilters {
  const { action, decision, surface: on, from, to } = query
  refuseLoneIssuer(query)
  return {
    ...ownFilters(owner, query),
    action,
    decision: decision === 'allow' || decision === 'deny' ? decision : undefined,
    surface: on === 'tools' || on === 'models' || on === 'api' ? on : undefined,
    from: from === undefined ? undefined : givenTime('from', from),
    to: to === undefined ? undefined : givenTime('to', to),
  }
}

function contextOf(
  { owner }: AdminCall<unknown>,
  asked: EventFilters,
): { filters: object; principal: string } {
  return { filters: asked, principal: audienceOf(owner) }
}

/** A reader that comes back names the last event it saw, which is newer than the cursor it once began at. */
function beginning(pager: Pager<EventPlace>, call: AdminCall<unknown>, asked: EventFilters): PageRequest {
  const cursor = call.lastEventId ?? call.query.cursor
  const request = pager.parse(cursor === undefined ? {} : { cursor }, {
    ...contextOf(call, asked),
    sort: 'oldest',
  })
  if (!request.backward) return request
  throw pageFailure('invalid_cursor', 'cursor', 'cursor leads back: a stream begins at one that leads on')
}

/** A record that was restored is shorter than its readers have seen it: what comes next would pass by those who are ahead. */
function refuseBeyond(request: PageRequest, head: number): void {
  if ((placeOf(request) ?? 0) <= head) return
  const wrong = 'cursor lies beyond the end of the record: begin again without it'
  throw pageFailure('invalid_cursor', 'cursor', wrong)
}

function placeOf({ position }: PageRequest): number | undefined {
  return position === null ? undefined : Number(position[0])
}

/** The cursor behind one event: a page that ends there would lead on to it. */
function cursorAt(pager: Pager<EventPlace>, request: PageRequest, place: EventPlace): string {
  return pager.finish({ ...request, limit: 1, position: null }, [place, place]).next ?? ''
}
